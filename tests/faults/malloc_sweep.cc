// Every allocation of a small fit, save, load, prediction, update and training step fails once, one after another.
//
//   LD_PRELOAD=fault_shim.so malloc_sweep FOLDER [STRIDE [NAME]]     every STRIDE-th allocation; of one operation
//
// Each failure must end in std::bad_alloc, Error or std::terminate for want of memory, leave the old file as it was and
// no other, and the same call without a fault must then give what it always gives. One line per operation; exit code 1
// when something else happened.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <new>
#include <string>

#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/data/csv.h"
#include "instantgp/data/labelled_table.h"
#include "instantgp/model/session.h"
#include "instantgp/model/update.h"
#include "instantgp/training/communicator.h"
#include "instantgp/training/trainer.h"
#include "tests/training/small_config.h"

namespace instantgp {
namespace {

using ArmFunction = long (*)(long);
ArmFunction arm = nullptr;

struct Operation {
  std::string name;
  std::function<std::string()> run;          // the result, to be the same each time
  std::function<std::string()> damage = {};  // what is wrong with the files; empty: nothing
};

struct Tally {
  long allocations = 0, tried = 0, bad_alloc = 0, error = 0, went_on = 0, terminated = 0, wrong = 0;
};

enum End { kSame, kOther, kBadAlloc, kError, kUnexpected };

// In a process of its own, for memory may run out where no exception can leave: the JSON library asks for some when it
// destroys a document, and then the process ends. The program has a message and an exit code for that (main.cc).
End RunWithFault(const Operation& operation, long k, const std::string& expected) {
  arm(k);
  try {
    const std::string result = operation.run();
    arm(0);
    return result == expected ? kSame : kOther;
  } catch (const std::bad_alloc&) {
    return kBadAlloc;
  } catch (const Error&) {
    return kError;
  } catch (const std::exception&) {
    return kUnexpected;
  }
}

// What happens when the k-th allocation fails; false: something that must not.
bool TryOne(const Operation& operation, long k, const std::string& expected, Tally& tally) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    std::set_terminate([] { ::_exit(99); });
    ::_exit(RunWithFault(operation, k, expected));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ++tally.tried;
  const int end = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  std::string wrong;
  switch (end) {
    case kSame:
      ++tally.went_on;
      break;  // an allocation it can do without
    case kBadAlloc:
      ++tally.bad_alloc;
      break;
    case kError:
      ++tally.error;
      break;
    case 99:
      ++tally.terminated;
      break;
    case kOther:
      wrong = "gives another result";
      break;
    case kUnexpected:
      wrong = "ends with another exception";
      break;
    default:
      wrong = "dies of signal " + std::to_string(WTERMSIG(status));
  }
  if (wrong.empty() && operation.damage) wrong = operation.damage();
  if (wrong.empty()) return true;
  std::printf("  %s: with allocation %ld failing it %s\n", operation.name.c_str(), k, wrong.c_str());
  return false;
}

bool Sweep(const Operation& operation, long stride) {
  const std::string expected = operation.run();  // also what is made once in a process
  Tally tally;
  arm(0);
  operation.run();
  tally.allocations = arm(0);
  for (long k = 1; k <= tally.allocations; k += stride) {
    if (!TryOne(operation, k, expected, tally)) ++tally.wrong;
    if (tally.wrong > 20) break;
  }
  if (operation.run() != expected) ++tally.wrong;
  std::printf("%-14s %7ld allocations %7ld failed: %7ld bad_alloc %6ld Error %6ld gone on %4ld terminated %4ld wrong\n",
              operation.name.c_str(), tally.allocations, tally.tried, tally.bad_alloc, tally.error, tally.went_on,
              tally.terminated, tally.wrong);
  std::fflush(stdout);
  return tally.wrong == 0;
}

constexpr char kTable[] = "x,city,y\n1,a,2\n2,b,3\n3,a,5\n4,b,4\n5,a,7\n6,b,6\n7,a,8\n8,b,9\n";

std::string Numbers(const Model& model) {
  Matrix X = Matrix::Constant(2, model.columns(), 0.5);
  const Prediction p = model.Predict(X);
  return std::string(reinterpret_cast<const char*>(p.mean.data()), 16) +
         std::string(reinterpret_cast<const char*>(p.std.data()), 16);
}

Dataset ReadTable() {
  const LabelledTable table = LabelledTable::Of(ParseRawTable(kTable, "table"), {});
  return table.Learn(table.known);
}

bool SweepAll(const std::string& folder, long stride, const std::string& only) {
  Session session({.threads = 1});
  const Dataset data = ReadTable();
  const Model model = session.Fit(data, "SE + LIN");
  const std::string path = folder + "/model.gp";
  SaveModel(session.Fit(data, "LIN"), path);
  const std::string old_bytes = ReadFile(path);
  SaveModel(model, path);
  const std::string new_bytes = ReadFile(path);
  // The file holds the old model or the new one, whole; nothing lies beside it.
  const auto damage = [&]() -> std::string {
    const std::string bytes = ReadFile(path);
    if (bytes != old_bytes && bytes != new_bytes) return "leaves a damaged file";
    int files = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++files;
    return files == 1 ? "" : "leaves a file behind";
  };
  const Matrix X = data.X.topRows(2);
  const Vector y = data.y.head(2);
  const auto fit = [&](Method method) {
    return [&, method] { return Numbers(session.Fit(data, "SE", {.method = method, .steps = 2, .restarts = 1})); };
  };
  TrainingConfig config = testing::SmallConfig();
  config.datasets = 8;
  config.validation.datasets = 2;
  const auto train = [&] {
    SingleProcess alone;
    TrainingOptions options;
    options.threads = 1;
    const TrainingSummary summary = Train(config, options, alone);
    return std::string(reinterpret_cast<const char*>(summary.state.weights.data()), 4 * summary.state.weights.size());
  };
  bool good = true;
  for (const Operation& operation : {
           Operation{"read a table", [] { return std::to_string(ReadTable().X.sum()); }},
           Operation{"fit oneshot", [&] { return Numbers(session.Fit(data, "SE + LIN")); }},
           Operation{"fit refine", fit(Method::kRefine)},
           Operation{"fit ml", fit(Method::kMl)},
           Operation{"fit svgp", fit(Method::kSvgp)},
           Operation{"fit neighbours", fit(Method::kNeighbours)},
           Operation{"save", [&] { return SaveModel(model, path), std::string(); }, damage},
           Operation{"load", [&] { return Numbers(LoadModel(path)); }, damage},
           Operation{"training step", train},
           Operation{"update", [&] { return Numbers(Update(session, model, X, y).model); }},
       }) {
    if (only.empty() || only == operation.name) good &= Sweep(operation, stride);
  }
  return good;
}

}  // namespace
}  // namespace instantgp

int main(int argc, char** argv) {
  instantgp::arm = reinterpret_cast<instantgp::ArmFunction>(dlsym(RTLD_DEFAULT, "instantgp_fault_arm"));
  if (argc < 2 || instantgp::arm == nullptr) {
    std::fprintf(stderr, "LD_PRELOAD=fault_shim.so malloc_sweep FOLDER [STRIDE [NAME]]\n");
    return 2;
  }
  std::filesystem::remove_all(argv[1]);
  std::filesystem::create_directories(argv[1]);
  return instantgp::SweepAll(argv[1], argc > 2 ? std::atol(argv[2]) : 1, argc > 3 ? argv[3] : "") ? 0 : 1;
}

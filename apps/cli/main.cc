// The program `instantgp`: picks the command and turns exceptions into exit codes (base/error.h).
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "apps/cli/options/common.h"
#include "apps/cli/terminal/interrupt.h"
#include "apps/cli/terminal/memory_reserve.h"
#include "apps/cli/terminal/remedies.h"
#include "apps/cli/terminal/terminal.h"
#include "instantgp/base/blas_kernels.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"
#include "instantgp/base/version.h"

namespace instantgp::cli {
namespace {

constexpr char kExamples[] = R"(Examples:
  instantgp fit --example --kernel "LIN + SE*PER" --plot fit.svg
  instantgp fit data.csv --target price --holdout 0.2 --model price.gp
  instantgp predict price.gp new.csv --output predictions.csv
  instantgp ensemble data.csv --holdout 0.2
  instantgp search data.csv --budget 2
  instantgp update price.gp today.csv
  instantgp simulate --kernel "SE + PER" --n 100 | instantgp fit -
  instantgp serve --open

'instantgp COMMAND --help' explains each command.)";

// The command the arguments were for; the program itself when none was recognised.
const CLI::App& InnermostCommand(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : *parsed.front();
}

std::string CommandList(const CLI::App& app) {
  std::string list;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    list += (list.empty() ? "" : ", ") + command->get_name();
  }
  return list;
}

// CLI11 says what it did not expect; we add what may have been meant.
std::string Suggestion(const CLI::App& command) {
  const std::vector<std::string> unexpected = command.remaining(true);
  if (unexpected.empty()) return "";
  std::vector<std::string> known;
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
    known.push_back(sub->get_name());
  }
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const std::string nearest = Nearest(unexpected.front(), known);
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

int UsageError(const CLI::App& app, const std::string& what) {
  const CLI::App& command = InnermostCommand(app);
  const std::string name = &command == &app ? "instantgp" : "instantgp " + command.get_name();
  Message("instantgp: " + what + Suggestion(command) + "\nTry '" + name + " --help'.");
  return static_cast<int>(ErrorCode::kUsage);
}

int Run(int argc, char** argv) {
  CLI::App app("Gaussian processes without the wait: fit a table, predict, compare kernels, simulate.", "instantgp");
  app.set_version_flag("--version", std::string("instantgp ") + kVersion, "Print the version");
  app.set_help_flag("-h,--help", "Print this help");
  app.footer(kExamples);
  auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(26);
  formatter->label("Positionals", "Arguments");
  formatter->label("Subcommands", "Commands");
  app.formatter(formatter);
  app.require_subcommand(0, 1);
  Selected selected;
  RegisterFit(app, selected);
  RegisterPredict(app, selected);
  RegisterEnsemble(app, selected);
  RegisterSearch(app, selected);
  RegisterUpdate(app, selected);
  RegisterSimulate(app, selected);
  RegisterTrain(app, selected);
  RegisterForecast(app, selected);
  RegisterEvaluate(app, selected);
  RegisterServe(app, selected);
  RegisterInfo(app, selected);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    WriteStdout(InnermostCommand(app).help());
    return 0;
  } catch (const CLI::CallForVersion& version) {
    WriteStdout(std::string(version.what()) + "\n");
    return 0;
  } catch (const CLI::ParseError& error) {
    const std::vector<std::string> unexpected = app.remaining();
    if (&InnermostCommand(app) == &app && !unexpected.empty() && unexpected.front().front() != '-') {
      return UsageError(
          app, "there is no command '" + OneLine(unexpected.front()) + "'; the commands are " + CommandList(app));
    }
    return UsageError(app, error.what());
  }
  if (!selected.run) return UsageError(app, "no command given; the commands are " + CommandList(app));
  selected.run();
  return 0;
}

// The exit code of everything but memory that has run out, which may also happen on the way to a message.
int RunAndReport(int argc, char** argv) {
  try {
    ChooseBlasKernels();
    InstallSignalHandling();
    return Run(argc, argv);
  } catch (const Error& error) {
    Message("instantgp: " + MessageOf(error));
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    Message(std::string("instantgp: internal failure; please report it: ") + error.what());
    return static_cast<int>(ErrorCode::kFailure);
  }
}

}  // namespace

// Says so and returns the exit code.
static int OutOfMemory() {
  Message("instantgp: out of memory; use fewer rows or a machine with more memory");
  return static_cast<int>(ErrorCode::kLimit);
}

}  // namespace instantgp::cli

int main(int argc, char** argv) {
  using instantgp::cli::OutOfMemory;
  instantgp::cli::KeepMemoryReserve();
  std::set_terminate([] {
    // Memory may run out where no exception can leave, and the reserve be gone: see memory_reserve.h.
    try {
      if (const std::exception_ptr reason = std::current_exception()) std::rethrow_exception(reason);
    } catch (const std::bad_alloc&) {
      ::_exit(OutOfMemory());
    } catch (...) {
    }
    std::abort();
  });
  try {
    return instantgp::cli::RunAndReport(argc, argv);
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  }
}

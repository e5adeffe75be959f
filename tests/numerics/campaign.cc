#include "tests/numerics/campaign.h"

#include <bit>
#include <mutex>

#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"
#include "instantgp/base/stopwatch.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/model/session.h"
#include "tests/support/fit_case.h"
#include "tests/support/fit_invariants.h"

namespace instantgp::testing {
namespace {

class RandomChooser : public Chooser {
 public:
  RandomChooser(std::uint64_t seed, std::uint64_t index) : random_(seed, index) {}
  int Below(int count) override { return random_.UniformInt(0, count - 1); }
  double Unit() override { return random_.Uniform(); }
  double AnyDouble() override { return std::bit_cast<double>((std::uint64_t{random_.Bits()} << 32) | random_.Bits()); }

 private:
  RandomStream random_;
};

std::string CodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kBadInput:
      return "bad input";
    case ErrorCode::kNumerical:
      return "numerical";
    case ErrorCode::kLimit:
      return "limit";
    default:
      return "";
  }
}

// Numbers and names differ from case to case.
std::string Reason(const std::string& message) {
  std::string reason;
  bool quoted = false;
  for (const char c : message.substr(0, message.find('\n'))) {
    if (c == '\'') quoted = !quoted;
    if (quoted || (c >= '0' && c <= '9')) continue;
    reason += c;
  }
  return reason.substr(0, 90);
}

struct Outcome {
  std::string method, end, reason, failure;
  double seconds = 0;
};

Outcome RunCase(Session& session, const CampaignOptions& options, std::int64_t index) {
  RandomChooser choose(options.seed, static_cast<std::uint64_t>(index));
  // Every eighth has values of any size, where 1e150 squared is no double any more.
  const FitCase made = MakeFitCase(choose, {.rows = options.rows, .columns = 4, .steps = 8, .wild = index % 8 == 7});
  Outcome outcome;
  outcome.method = Name(made.options.method);
  const Stopwatch clock;
  try {
    const Model model = session.Fit(made.data, made.kernel, made.options);
    outcome.failure = BrokenInvariant(model, made.X_new);
    outcome.end = "ok";
  } catch (const Error& error) {
    outcome.end = CodeName(error.code());
    outcome.reason = Reason(error.what());
    if (outcome.end.empty()) outcome.failure = std::string("a code it may not have: ") + error.what();
  } catch (const std::exception& other) {
    outcome.failure = std::string("no Error: ") + other.what();
  }
  outcome.seconds = 1e-3 * clock.Milliseconds();
  if (!outcome.failure.empty()) {
    outcome.end = "FAILED";
    outcome.failure = "case " + std::to_string(index) + ": " + outcome.failure + "\n" + Describe(made);
  }
  return outcome;
}

}  // namespace

CampaignCounts RunCampaign(const CampaignOptions& options) {
  CampaignCounts counts;
  std::mutex mutex;
  constexpr int kBlock = 50;
  ThreadPool pool(ResolveThreads(options.threads));
  std::int64_t done = 0;
  pool.Run(static_cast<int>((options.count + kBlock - 1) / kBlock), [&](int block, int) {
    Session session({.threads = 1});
    const std::int64_t end = std::min<std::int64_t>(options.count, std::int64_t{kBlock} * (block + 1));
    for (std::int64_t k = std::int64_t{kBlock} * block; k < end; ++k) {
      const std::int64_t index = options.first + k;
      const Outcome outcome = RunCase(session, options, index);
      const std::lock_guard<std::mutex> lock(mutex);
      ++counts.outcomes[outcome.method][outcome.end];
      if (!outcome.reason.empty()) ++counts.reasons[outcome.end + ": " + outcome.reason];
      if (outcome.end == "FAILED" && ++counts.failed <= 20) counts.failures.push_back(outcome.failure);
      if (outcome.seconds > counts.worst_seconds) {
        counts.worst_seconds = outcome.seconds;
        counts.worst_case = index;
      }
      if (options.progress && ++done % 1000 == 0) options.progress(done);
    }
  });
  return counts;
}

}  // namespace instantgp::testing

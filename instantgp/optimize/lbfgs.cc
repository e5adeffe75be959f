#include "instantgp/optimize/lbfgs.h"

#include <lbfgs.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <new>
#include <vector>

#include "instantgp/optimize/tracked.h"

namespace instantgp {
namespace {

struct State {
  TrackedFunction* tracked;
  const LbfgsOptions* options;
  OptimizeSummary* summary;
  int steps_before;  // of earlier rounds
  Vector x, gradient;
  std::vector<double> values;  // at the start and after every step
  std::exception_ptr error;    // carried across the C frames
};

lbfgsfloatval_t EvaluateCallback(void* instance, const lbfgsfloatval_t* x, lbfgsfloatval_t* g, const int n,
                                 const lbfgsfloatval_t /*step*/) {
  State& state = *static_cast<State*>(instance);
  // A rejected point is a step up by a moderate amount: the interpolation then shortens the step to a fraction. A huge
  // value would make it collapse to nothing.
  const double rejected = state.values.back() + std::max(1.0, std::abs(state.values.back()));
  if (state.error) return rejected;
  try {
    state.x = Eigen::Map<const Vector>(x, n);
    double value = 0;
    if (state.tracked->Evaluate(state.x, &value, &state.gradient)) {
      Eigen::Map<Vector>(g, n) = state.gradient;
      return value;
    }
  } catch (...) {
    state.error = std::current_exception();
  }
  Eigen::Map<Vector>(g, n).setZero();
  return rejected;
}

constexpr int kStopped = 1000, kSmallDecrease = 1001;  // what the progress callback returns becomes liblbfgs' status

int ProgressCallback(void* instance, const lbfgsfloatval_t*, const lbfgsfloatval_t*, const lbfgsfloatval_t value,
                     const lbfgsfloatval_t, const lbfgsfloatval_t, const lbfgsfloatval_t, int, int k, int) {
  State& state = *static_cast<State*>(instance);
  state.summary->steps = state.steps_before + k;
  if (state.error || state.options->stop.stop_requested()) return kStopped;
  try {
    state.values.push_back(value);
  } catch (...) {
    state.error = std::current_exception();
    return kStopped;
  }
  const std::size_t window = static_cast<std::size_t>(state.options->value_window);
  if (state.values.size() > window) {
    const double decrease = state.values[state.values.size() - 1 - window] - value;
    if (decrease <= state.options->value_tolerance * std::max(1.0, std::abs(value))) return kSmallDecrease;
  }
  return 0;
}

StopReason ReasonOf(int status, bool interrupted) {
  if (interrupted) return StopReason::kInterrupted;
  switch (status) {
    case LBFGS_SUCCESS:  // also LBFGS_CONVERGENCE
    case kSmallDecrease:
    case LBFGS_ALREADY_MINIMIZED:
      return StopReason::kConverged;
    case LBFGSERR_MAXIMUMITERATION:
      return StopReason::kMaxSteps;
    default:
      return StopReason::kLineSearch;
  }
}

constexpr int kMaxRounds = 5;

// One call of liblbfgs from `from`; returns the value where it ended.
double Run(TrackedFunction& tracked, const LbfgsOptions& options, lbfgs_parameter_t parameters, int steps_before,
           const Vector& from, OptimizeSummary& summary) {
  struct Free {
    void operator()(lbfgsfloatval_t* p) const { lbfgs_free(p); }
  };
  const int n = static_cast<int>(from.size());
  const std::unique_ptr<lbfgsfloatval_t, Free> x(lbfgs_malloc(n));
  if (x == nullptr) throw std::bad_alloc();
  std::copy(from.data(), from.data() + n, x.get());
  State state{&tracked, &options, &summary, steps_before, {}, {}, {summary.value}, nullptr};
  lbfgsfloatval_t value = 0;
  const int status = lbfgs(n, x.get(), &value, EvaluateCallback, ProgressCallback, &state, &parameters);
  if (state.error) std::rethrow_exception(state.error);
  if (status == LBFGSERR_OUTOFMEMORY) throw std::bad_alloc();
  summary.reason = ReasonOf(status, options.stop.stop_requested());
  return value;
}

}  // namespace

OptimizeSummary MinimizeLbfgs(FirstOrderFunction& f, const Vector& start, const LbfgsOptions& options) {
  OptimizeSummary summary;
  TrackedFunction tracked(f, summary);
  Vector gradient;
  double value = 0;
  if (!tracked.Evaluate(start, &value, &gradient)) return summary;  // kFailedAtStart
  if (options.max_steps == 0) {
    summary.reason = StopReason::kMaxSteps;
    return summary;
  }

  lbfgs_parameter_t parameters;
  lbfgs_parameter_init(&parameters);
  parameters.m = options.memory;
  parameters.epsilon = options.gradient_tolerance;
  parameters.past = 0;  // liblbfgs 1.10 divides the decrease by the value and stops at once where that is negative
  // Interpolating line search: 10 to 20 percent fewer evaluations than backtracking on the real datasets.
  parameters.linesearch = LBFGS_LINESEARCH_MORETHUENTE;
  parameters.max_linesearch = 40;

  // Two reasons to start again with an empty memory from the best point seen: the line search may look at a lower point
  // and yet end elsewhere because the slope there was too steep, and it may fail on a direction made of stale
  // curvature.
  Vector from = start;
  for (int round = 0; round < kMaxRounds; ++round) {
    const double round_start = round == 0 ? summary.start_value : summary.value;
    const int steps_before = summary.steps;
    parameters.max_iterations = options.max_steps - steps_before;
    const double end = Run(tracked, options, parameters, steps_before, from, summary);
    const double noticeable = 1e-6 * std::max(1.0, std::abs(summary.value));
    const bool better_elsewhere = summary.value < end - noticeable;
    const bool stuck = summary.reason == StopReason::kLineSearch && summary.value < round_start - noticeable;
    if (!better_elsewhere && !stuck) break;
    if (summary.reason == StopReason::kInterrupted || summary.steps >= options.max_steps) break;
    from = summary.x;
  }
  return summary;
}

}  // namespace instantgp

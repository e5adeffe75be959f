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

// Larger than any value an objective returns, yet finite: liblbfgs' backtracking sees no decrease and shortens the
// step.
constexpr double kRejectedValue = 1e100;

struct State {
  TrackedFunction* tracked;
  const LbfgsOptions* options;
  OptimizeSummary* summary;
  int steps_before;  // of earlier rounds
  Vector x, gradient;
  std::vector<double> values;  // after every step
  std::exception_ptr error;    // carried across the C frames
};

lbfgsfloatval_t EvaluateCallback(void* instance, const lbfgsfloatval_t* x, lbfgsfloatval_t* g, const int n,
                                 const lbfgsfloatval_t /*step*/) {
  State& state = *static_cast<State*>(instance);
  if (state.error) return kRejectedValue;
  try {
    state.x = Eigen::Map<const Vector>(x, n);
    double value = 0;
    if (state.tracked->Evaluate(state.x, &value, &state.gradient)) {
      Eigen::Map<Vector>(g, n) = state.gradient;
      return std::min(value, kRejectedValue);
    }
  } catch (...) {
    state.error = std::current_exception();
  }
  Eigen::Map<Vector>(g, n).setZero();
  return kRejectedValue;
}

constexpr int kStopped = 1000, kSmallDecrease = 1001;  // what the progress callback returns becomes liblbfgs' status

int ProgressCallback(void* instance, const lbfgsfloatval_t*, const lbfgsfloatval_t*, const lbfgsfloatval_t value,
                     const lbfgsfloatval_t, const lbfgsfloatval_t, const lbfgsfloatval_t, int, int k, int) {
  State& state = *static_cast<State*>(instance);
  state.summary->steps = state.steps_before + k;
  if (state.error || state.options->stop.stop_requested()) return kStopped;
  state.values.push_back(value);
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
  State state{&tracked, &options, &summary, steps_before, {}, {}, {}, nullptr};
  lbfgsfloatval_t value = 0;
  const int status = lbfgs(n, x.get(), &value, EvaluateCallback, ProgressCallback, &state, &parameters);
  if (state.error) std::rethrow_exception(state.error);
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
  // Backtracking tests the value before it looks at the gradient, so a rejected point only shortens the step; the
  // interpolating line search would divide by what a rejected point cannot give.
  parameters.linesearch = LBFGS_LINESEARCH_BACKTRACKING_STRONG_WOLFE;
  parameters.max_linesearch = 40;

  // The line search may look at a lower point and yet end elsewhere, because the slope there was still too steep. Such
  // a point is not given away: the search starts again from it.
  Vector from = start;
  for (int round = 0; round < kMaxRounds; ++round) {
    const int steps_before = summary.steps;
    parameters.max_iterations = options.max_steps - steps_before;
    const double end = Run(tracked, options, parameters, steps_before, from, summary);
    const bool better_elsewhere = summary.value < end - 1e-9 * std::max(1.0, std::abs(end));
    if (!better_elsewhere || summary.reason == StopReason::kInterrupted || summary.steps >= options.max_steps) break;
    from = summary.x;
  }
  return summary;
}

}  // namespace instantgp

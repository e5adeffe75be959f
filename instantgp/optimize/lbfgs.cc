#include "instantgp/optimize/lbfgs.h"

#include <lbfgs.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <new>

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
  Vector x, gradient;
  std::exception_ptr error;  // carried across the C frames
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

int ProgressCallback(void* instance, const lbfgsfloatval_t*, const lbfgsfloatval_t*, const lbfgsfloatval_t,
                     const lbfgsfloatval_t, const lbfgsfloatval_t, const lbfgsfloatval_t, int, int k, int) {
  State& state = *static_cast<State*>(instance);
  state.summary->steps = k;
  return state.error || state.options->stop.stop_requested() ? 1 : 0;
}

StopReason ReasonOf(int status, bool interrupted) {
  if (interrupted) return StopReason::kInterrupted;
  switch (status) {
    case LBFGS_SUCCESS:  // also LBFGS_CONVERGENCE
    case LBFGS_STOP:
    case LBFGS_ALREADY_MINIMIZED:
      return StopReason::kConverged;
    case LBFGSERR_MAXIMUMITERATION:
      return StopReason::kMaxSteps;
    default:
      return StopReason::kLineSearch;
  }
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
  parameters.past = options.value_window;
  parameters.delta = options.value_tolerance;
  parameters.max_iterations = options.max_steps;
  // Backtracking tests the value before it looks at the gradient, so a rejected point only shortens the step; the
  // interpolating line search would divide by what a rejected point cannot give.
  parameters.linesearch = LBFGS_LINESEARCH_BACKTRACKING_STRONG_WOLFE;
  parameters.max_linesearch = 40;

  const int n = static_cast<int>(start.size());
  struct Free {
    void operator()(lbfgsfloatval_t* p) const { lbfgs_free(p); }
  };
  std::unique_ptr<lbfgsfloatval_t, Free> x(lbfgs_malloc(n));
  if (x == nullptr) throw std::bad_alloc();
  std::copy(start.data(), start.data() + n, x.get());
  State state{&tracked, &options, &summary, {}, {}, nullptr};
  lbfgsfloatval_t final_value = 0;
  const int status = lbfgs(n, x.get(), &final_value, EvaluateCallback, ProgressCallback, &state, &parameters);
  if (state.error) std::rethrow_exception(state.error);
  summary.reason = ReasonOf(status, options.stop.stop_requested());
  return summary;
}

}  // namespace instantgp

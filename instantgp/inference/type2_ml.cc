#include "instantgp/inference/type2_ml.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/cholesky.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/inference/noise_floor.h"
#include "instantgp/inference/type2_objective.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/kernel/prior.h"
#include "instantgp/optimize/adam.h"
#include "instantgp/optimize/lbfgs.h"
#include "instantgp/optimize/second_order.h"

namespace instantgp {
namespace {

constexpr double kStartNoiseStd = 0.2;  // of standardised targets: 4 percent of their variance. Not measured

OptimizeSummary Minimize(Type2Objective& objective, const Vector& start, const Type2Options& options) {
  if (options.optimizer == Optimizer::kAdam) {
    AdamOptions adam;
    if (options.max_steps > 0) adam.max_steps = options.max_steps;
    adam.stop = options.stop;
    return MinimizeAdam(objective, start, adam);
  }
  if (options.optimizer == Optimizer::kSecondOrder) {
    objective.SetScaleExactly();
    SecondOrderOptions second_order{.reach = objective.StepReach()};
    if (options.max_steps > 0) second_order.max_steps = options.max_steps;
    second_order.stop = options.stop;
    return MinimizeSecondOrder(objective, start, second_order);
  }
  LbfgsOptions lbfgs;
  if (options.max_steps > 0) lbfgs.max_steps = options.max_steps;
  lbfgs.stop = options.stop;
  return MinimizeLbfgs(objective, start, lbfgs);
}

struct Start {
  OptimizeSummary summary;
  NlmlValue nlml;        // at the end
  NlmlValue nlml_start;  // at the start
};

Start RunStart(Type2Objective& objective, const LogParameters& start, const Type2Options& options) {
  Start result;
  result.summary = Minimize(objective, start, options);
  bool held = false;
  for (int holds = 0; holds < kMostHolds && result.summary.x.size() > 0; ++holds) {
    const std::optional<double> level = objective.NoiseToHold(result.summary.x);
    if (!level) break;
    objective.HoldNoise(*level);
    held = true;
    const LogParameters raised = WithNoiseAtLeast(result.summary.x, *level);
    const auto minimize_from = [&](const LogParameters& from) {
      OptimizeSummary again = Minimize(objective, from, options);
      again.evaluations += result.summary.evaluations;
      again.rejected += result.summary.rejected;
      result.summary = std::move(again);
    };
    if (options.optimizer == Optimizer::kSecondOrder) {  // needs no line search to leave the wall
      minimize_from(raised);
      continue;
    }
    minimize_from(WithNoiseAtLeast(start, *level));
    double value = 0;  // a line search that meets the wall may end early
    if (objective.Evaluate(raised, &value, nullptr) && (result.summary.x.size() == 0 || value < result.summary.value)) {
      minimize_from(raised);
    }
  }
  objective.ReleaseNoise();  // ends are compared without the walls they were held by
  if (result.summary.x.size() > 0) {
    if (held) objective.Evaluate(result.summary.x, &result.summary.value, nullptr);
    result.nlml = objective.Nlml(result.summary.x);
    result.nlml_start = objective.Nlml(start);
  }
  return result;
}

void Adopt(const Start& best, Type2Result& result) {
  result.ok = best.nlml.ok;
  result.theta = best.summary.x;
  result.value = best.summary.value;
  result.nlml = best.nlml.nlml;
  result.nlml_start = best.nlml_start.nlml;
  result.jitter = best.nlml.jitter;
  result.steps = best.summary.steps;
  result.reason = best.summary.reason;
}

constexpr char kFailure[] =
    "the likelihood cannot be evaluated at any start: the covariance is not positive definite there. Look for extreme "
    "or duplicate "
    "rows, or a kernel with many products.";

}  // namespace

LogParameters StandardStart(const Expression& expression) {
  LogParameters theta = Vector::Zero(NumParameters(expression) + 1);
  theta.noise() = 2 * std::log(kStartNoiseStd);
  return theta;
}

Type2Result FitType2(const Expression& expression, const Matrix& X, const Vector& y, const Type2Options& options,
                     const LogParameters& start) {
  const Covariance covariance(expression);
  const ParameterTable table(expression);
  Type2Objective objective(covariance, table, X, y, options.map, options.pool);
  objective.Hold(options.fixed, !FixesScale(expression));
  const LogParameters from = start.size() > 0 ? start : StandardStart(expression);
  const Start run = RunStart(objective, options.fixed.Held(from), options);
  Type2Result result;
  result.evaluations = run.summary.evaluations;
  result.rejected = run.summary.rejected;
  if (run.summary.x.size() > 0) Adopt(run, result);
  result.failed_starts = result.ok ? 0 : 1;
  if (!result.ok) result.message = kFailure;
  return result;
}

std::optional<double> Type2Value(const Expression& expression, const Matrix& X, const Vector& y, bool map,
                                 const LogParameters& theta) {
  const Covariance covariance(expression);
  const ParameterTable table(expression);
  double value = 0;
  if (!Type2Objective(covariance, table, X, y, map, nullptr).Evaluate(theta, &value, nullptr)) return std::nullopt;
  return value;
}

Type2Result FitMultiStart(const Expression& expression, const Matrix& X, const Vector& y, const Type2Options& options) {
  const Covariance covariance(expression);
  const ParameterTable table(expression);
  const int count = std::max(1, options.restarts);
  std::vector<Start> runs(static_cast<std::size_t>(count));
  std::mutex progress_mutex;
  int done = 0;
  RunOn(options.pool, count, [&](int k, int) {
    Type2Objective objective(covariance, table, X, y, options.map, nullptr);
    objective.Hold(options.fixed, !FixesScale(expression));
    RandomStream random(options.seed, static_cast<std::uint64_t>(k));
    if (!options.stop.stop_requested()) {
      runs[k] = RunStart(objective, options.fixed.Held(DrawFromPrior(table, random)), options);
    } else {
      runs[k].summary.reason = StopReason::kInterrupted;
    }
    const std::lock_guard lock(progress_mutex);
    ++done;
    if (options.progress) options.progress(done, count);
  });

  // The best of all ends by the value that was minimised, ties to the lower number.
  Type2Result result;
  result.starts = count;
  const Start* best = nullptr;
  for (const Start& run : runs) {
    result.evaluations += run.summary.evaluations;
    result.rejected += run.summary.rejected;
    if (!run.nlml.ok) {
      ++result.failed_starts;
    } else if (best == nullptr || run.summary.value < best->summary.value) {
      best = &run;
    }
  }
  if (best != nullptr) {
    Adopt(*best, result);
  } else {
    result.message = kFailure;
    result.reason = runs[0].summary.reason;
  }
  return result;
}

}  // namespace instantgp

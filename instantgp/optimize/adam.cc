#include "instantgp/optimize/adam.h"

#include <cmath>
#include <vector>

#include "instantgp/optimize/tracked.h"

namespace instantgp {

OptimizeSummary MinimizeAdam(FirstOrderFunction& f, const Vector& start, const AdamOptions& options) {
  OptimizeSummary summary;
  TrackedFunction tracked(f, summary);
  Vector x = start, gradient;
  double value = 0;
  if (!tracked.Evaluate(x, &value, &gradient)) return summary;  // kFailedAtStart

  Vector m = Vector::Zero(x.size()), v = Vector::Zero(x.size());
  double rate = options.learning_rate;
  std::vector<double> values = {value};  // of every step
  summary.reason = StopReason::kMaxSteps;
  for (int step = 1; step <= options.max_steps; ++step) {
    if (options.stop.stop_requested()) {
      summary.reason = StopReason::kInterrupted;
      return summary;
    }
    summary.steps = step;
    m = options.beta1 * m + (1 - options.beta1) * gradient;
    v = options.beta2 * v + (1 - options.beta2) * gradient.cwiseAbs2();
    const double m_scale = 1 / (1 - std::pow(options.beta1, step));
    const double v_scale = 1 / (1 - std::pow(options.beta2, step));
    const Vector direction = (m_scale * m).array() / ((v_scale * v).array().sqrt() + options.epsilon);
    // A trial that cannot be evaluated is rejected: the same direction with half the rate, a few times.
    bool moved = false;
    for (int attempt = 0; attempt < 20 && !moved; ++attempt) {
      const Vector trial = x - rate * direction;
      moved = tracked.Evaluate(trial, &value, &gradient);
      if (moved) {
        x = trial;
      } else {
        rate *= 0.5;
      }
    }
    if (!moved) {
      summary.reason = StopReason::kLineSearch;
      return summary;
    }
    if (step > options.min_steps && step >= options.window) {
      const double before = values[static_cast<std::size_t>(step - options.window)];
      if (std::abs(value - before) <= options.absolute_tolerance + options.relative_tolerance * std::abs(before)) {
        summary.reason = StopReason::kConverged;
        return summary;
      }
    }
    values.push_back(value);
  }
  return summary;
}

}  // namespace instantgp

// Adam with the paper's stopping rule.
#pragma once

#include "instantgp/optimize/objective.h"

namespace instantgp {

// Stops after max_steps, or when step > min_steps and |f - f_before| <= absolute + relative |f_before|, f_before being
// the value `window` steps ago.
struct AdamOptions {
  double learning_rate = 0.1;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  int max_steps = 150;
  int min_steps = 10;
  int window = 1;
  double absolute_tolerance = 1e-5;
  double relative_tolerance = 1e-5;
  std::stop_token stop;
};

// Returns the best point evaluated. A point that cannot be evaluated is a rejected step: x goes back to the last good
// point and the learning rate is halved.
OptimizeSummary MinimizeAdam(FirstOrderFunction& f, const Vector& start, const AdamOptions& options);

}  // namespace instantgp

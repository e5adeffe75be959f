// L-BFGS through liblbfgs.
#pragma once

#include "instantgp/optimize/objective.h"

namespace instantgp {

struct LbfgsOptions {
  int max_steps = 200;
  int memory = 30;                   // more than the parameters of most kernels: a third fewer evaluations than with 10
  double gradient_tolerance = 1e-5;  // on ||g|| / max(1, ||x||)
  double value_tolerance = 1e-6;     // decrease over `value_window` steps, relative to max(1, |f|)
  int value_window = 5;
  std::stop_token stop;
};

OptimizeSummary MinimizeLbfgs(FirstOrderFunction& f, const Vector& start, const LbfgsOptions& options);

}  // namespace instantgp

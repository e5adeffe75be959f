// Parameters moved down the left-out density (gp/left_out_density.h), within bounds.
#pragma once

#include <stop_token>
#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/gp/left_out_density.h"
#include "instantgp/kernel/fixed.h"
#include "instantgp/kernel/log_parameters.h"

namespace instantgp {

// What may move: the columns of `along` (p + 1, k), each as far as its reach either way before a soft wall holds it.
// Without walls a table whose targets are all equal would take the variances to zero.
struct Freedom {
  Matrix along;
  Vector reach;

  // One factor for all lengthscales, one for kernel and noise together, one for the noise: 3.
  static Freedom ThreeNumbers(const Expression& expression, const FixedRows& fixed);
  // Every parameter by itself.
  static Freedom Everything(const Expression& expression, const FixedRows& fixed);
};

struct Tuned {
  LogParameters theta;
  int evaluations = 0, steps = 0;
  bool ok = false;  // whether the start could be evaluated
};

// Down the density and the squared errors together, in units of those at the start: each counts half of a change in the
// logarithm of all errors.
Tuned Tune(LeftOutDensity& density, const LogParameters& start, const Freedom& freedom, int max_steps,
           const std::stop_token& stop);

// Parameters that can be worked with: noise no smaller than 1e-8 of the targets' variance, all within e^-25 to e^25.
LogParameters WithinBounds(LogParameters theta);

// Kernel and noise multiplied by the factor under which the residuals of the density's last evaluation have mean square
// 1, which moves no mean. With `coverage` it is moved, where it must be, so that the 95 percent interval holds 95 to
// 96.5 percent of them. Returns the log of the factor.
double LogScaleOf(const Vector& residuals, bool coverage);

}  // namespace instantgp

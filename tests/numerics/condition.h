// Double precision against 50-digit arithmetic, as the covariance comes closer and closer to singular.
#pragma once

#include <string>
#include <vector>

namespace instantgp::testing {

// Rows on a random grid of n points in [0, 1], targets from a smooth function, one kernel, one noise variance.
struct ConditionPoint {
  double noise = 0;      // variance; smaller noise, larger condition number
  double condition = 0;  // largest over smallest eigenvalue of K + noise I, from 50-digit arithmetic
  double jitter = 0;     // what the library added to the diagonal; then it answers another question
  bool refused = false;  // no factor, with all the jitter it may add
  // Relative errors: of NLML per point to max(1, |NLML|); of the gradient's largest to its norm (at least 1); of means
  // and of latent standard deviations at new rows to the standard deviation of y.
  double nlml = 0, gradient = 0, mean = 0, std = 0;
};

struct ConditionCurve {
  std::string kernel;
  std::vector<ConditionPoint> points;
};

// Noise variances 1, 1e-1, ..., 10^-`decades`.
ConditionCurve MeasureCondition(const std::string& kernel, int n, int decades);

}  // namespace instantgp::testing

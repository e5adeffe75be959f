// Targets that are a rough function of several columns together: heights on a map, a chemical along and below a shore.
//
// No single column shows it (fine_columns.h), smooth starts take it for noise, and the spread's shortest lengthscale is
// half the range. But a row and the one nearest to it have nearly the same target:
//   q = sum_i (y_i - y_nearest(i))^2 / (2 sum_i (y_i - mean y)^2)
// is about 1 where the columns say nothing about nearby rows, and what no function of them can explain is at most q.
#pragma once

#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/inference/spread.h"
#include "instantgp/kernel/log_parameters.h"

namespace instantgp {

struct NearestRows {
  double left = 1;      // q; of rows equally near the mean. 1 for targets that are all the same
  double distance = 0;  // the median of those to the nearest row elsewhere, over the columns of X (n, d)
};
NearestRows LookAtNearestRows(const Matrix& X, const Vector& y);

// Candidates where two columns or more leave less than `share` between nearest rows, and these are near: lengthscales
// of SE and MAT52 of twice and five times their distance, the kernel's variance that of y, everything else as in
// `answer`.
std::vector<NoiseLadder> RoughLadders(const Covariance& covariance, const Matrix& X, const Vector& y,
                                      const LogParameters& answer, double share);

}  // namespace instantgp

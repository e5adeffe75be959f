// Parameters to average predictions over, with few rows.
//
// Few rows leave many parameters possible, and a prediction at the best ones alone is too sure of itself. The draws are
// from the Gaussian about the answer whose precision is n times the average information plus that of the pull
// (learned_pull.h): theta + w S z, S S = (n H)^-1, with S symmetric. They come in pairs +z, -z. Which z a parameter
// gets follows from its rank by value among those of its kind, so that the order of the columns does not matter.
#pragma once

#include "instantgp/base/matrix.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/kernel/log_parameters.h"

namespace instantgp {

// Up to so many rows predictions are averaged. Held-out NLL at the answer itself minus that of the average over 16
// draws: 0.05 at 196 rows, 0.14 at 84, 0.1 to 0.4 at 50. Nobody has measured more rows.
inline constexpr int kMostRowsToAverage = 250;
inline constexpr int kParameterDraws = 8;
// w: where several addends of a column could be the reason for what is seen, the average information says less than the
// likelihood does, and the Gaussian is too wide. Held-out NLL on 130 public tables of 15 to 250 rows, for w = 0.25, 0.5
// and 1: SE + LIN 0.766, 0.759, 0.804; SE + LIN + PER 0.868, 0.872, 1.017; SE*LIN + PER 0.834, 0.839, 1.008. With one
// kernel per column it is right: for w = 0.5 and 1, SE 0.720 and 0.711, MAT52 0.713 and 0.702.
double DrawWidth(const Expression& expression);

// How much too small the scale of kernel and noise comes out where parameters were fitted to n rows: residuals of the
// rows fitted to are smaller than those of new ones, by (n - k) / (n + k) in the mean square for k parameters (Akaike's
// final prediction error). A parameter counts as far as the rows determine it to within a unit of its logarithm,
//   k = tr H (H + 1)^-1,   H the curvature of the NLML of all rows.
// On tables of 50 to 196 rows the correction takes the coverage of 95 percent intervals from 0.90 to 0.93 on average
// and 0.03 off the held-out NLL.
double LogOptimism(const Matrix& H, double n);

// (p + 1, count) at the scale of theta; `precision` (p + 1) is that of the pull. No columns where the curvature cannot
// be had.
Matrix DrawParameters(const Covariance& covariance, const Matrix& X, const Vector& y, const LogParameters& theta,
                      const Vector& precision, int count);

}  // namespace instantgp

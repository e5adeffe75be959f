// Columns that matter only together with others: the target has x1 x2 x3 in it, and none of them shows by itself.
//
// In a table of many columns a fit that has not found such columns takes what they say for noise, and no single
// lengthscale can become shorter without the others. But if the fit were right, its residuals alpha = A^-1 y would have
// nothing to do with any product of columns:
//   n (phi^T alpha)^2 / (|phi|^2 |alpha|^2),   phi = z_i z_j or z_i z_j z_k, z the standardised columns,
// would be about 1 for each, and hardly above 20 for the largest of 5,000. A product that matters stands out by far.
#pragma once

#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/inference/spread.h"
#include "instantgp/kernel/log_parameters.h"

namespace instantgp {

struct Interaction {
  std::vector<int> columns;  // of X, two or three
  double strength = 0;       // the ratio above
};

// The strongest one among the columns of X (n, d); the first of equals.
Interaction StrongestInteraction(const Matrix& X, const Vector& alpha);

// Candidates in which the columns of a strong interaction have shorter lengthscales of SE and MAT52, everything else as
// in `answer`, of which `alpha` are the residuals on X. None below kFewestColumnsToGuess (relevant_columns.h).
std::vector<NoiseLadder> InteractionLadders(const Covariance& covariance, const Matrix& X, const Vector& alpha,
                                            const LogParameters& answer);

}  // namespace instantgp

// Tables whose target is a weighted sum of some columns, and hardly any noise.
//
// Type-2 ML gets there by ever longer lengthscales and ever less noise, in many steps. A least-squares fit is there at
// once: with slopes b_j of standardised targets, SE with variance v and lengthscales sqrt(v) / |b_j| long beside the
// data is a line with just these slopes in the prior.
#pragma once

#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/inference/spread.h"
#include "instantgp/kernel/log_parameters.h"

namespace instantgp {

// Candidates where a line leaves less than `share` of the variance of y (next to nothing, where rows are few beside its
// slopes); else none. Lengthscales of SE and MAT52 as
// above, the kernel's variance with them, everything else as in `answer`.
std::vector<NoiseLadder> LinearLadders(const Covariance& covariance, const Matrix& X, const Vector& y,
                                       const LogParameters& answer, double share);

}  // namespace instantgp

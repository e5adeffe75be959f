// Hypotheses beside the network's, from the data alone, for data along a single column.
//
// Along one column the marginal likelihood has modes far apart: a smooth trend with everything else called noise, the
// same rows followed closely at a short lengthscale, one period of many. A network answers for the mode it has seen
// most; a candidate at another one costs a likelihood on a hundred rows or so, and wins only where it is better.
//   fine scale:  the lengthscales of SE and MAT52 at twice the spacing of the rows, little noise
//   period:      PER at the strongest frequency of what a parabola leaves of the targets, as a wave with few harmonics
// All other parameters are those of the network's hypothesis with the most noise.
#pragma once

#include "instantgp/base/matrix.h"
#include "instantgp/kernel/structure.h"

namespace instantgp {

// theta (p + 1, K) with further columns where the structure has one column; X (n, columns) and y (n) are scaled.
Matrix WithHypothesesFromData(const Structure& structure, const Matrix& X, const Vector& y, const Matrix& theta);

// The frequency, in cycles over [0, 1], at which a wave explains most of y beside a parabola in x; 0 for fewer than
// eight rows or targets a parabola explains.
double StrongestFrequency(const Vector& x, const Vector& y);

}  // namespace instantgp

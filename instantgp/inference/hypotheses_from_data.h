// Hypotheses beside the network's, from the data alone, for data along a single column.
//
// Along one column the marginal likelihood has modes far apart: a smooth trend with everything else called noise, the
// same rows followed closely at a short lengthscale, one period of many. A network answers for the mode it has seen
// most; a candidate at another one costs a likelihood on a hundred rows or so, and wins only where it is better.
//   fine scale:  the lengthscales of SE and MAT52 at twice the spacing of the rows, little noise
//   periods:     PER at the likeliest frequencies, as waves of the likeliest shape (wave_scan.h), little noise
// All other parameters are those of the network's hypothesis with the most noise.
#pragma once

#include "instantgp/base/matrix.h"
#include "instantgp/kernel/structure.h"

namespace instantgp {

// theta (p + 1, K) with further columns where the structure has one column; X (n, columns) and y (n) are scaled.
Matrix WithHypothesesFromData(const Structure& structure, const Matrix& X, const Vector& y, const Matrix& theta);

}  // namespace instantgp

// Hypotheses beside the network's, from the data alone, for data along a single column.
//
// Along one column the marginal likelihood has modes far apart: a smooth trend with everything else called noise, the
// same rows followed closely at a short lengthscale, one period of many. A network answers for the mode it has seen
// most; a candidate at another one costs a likelihood on a hundred rows or so, and wins only where it is better.
//   fine scale:  the lengthscales of SE and MAT52 at twice the spacing of the rows, little noise
//   periods:     PER at the likeliest frequencies, as waves of the likeliest shape (wave_scan.h), little noise
// All other parameters are those of the network's hypothesis with the most noise.
#pragma once

#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/inference/wave_scan.h"
#include "instantgp/kernel/structure.h"

namespace instantgp {

// Whether the structure has one column, and periods to look for along it.
bool AsksForWaves(const Structure& structure);
// The waves of these data along a column, for every structure that asks for them: a millisecond.
std::vector<Wave> WavesOf(const Matrix& X, const Vector& y, int column);

// theta (p + 1, K) with further columns where the structure has one column; X (n, columns) and y (n) are scaled.
// `waves` null: they are looked for here.
Matrix WithHypothesesFromData(const Structure& structure, const Matrix& X, const Vector& y, const Matrix& theta,
                              const std::vector<Wave>* waves = nullptr);

}  // namespace instantgp

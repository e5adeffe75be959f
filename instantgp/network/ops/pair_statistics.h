// Averages of y_a y_b over pairs of points, binned by their distance along one dimension.
//
// E[y_a y_b] is the kernel, and dimensions multiply, so along dimension i the average over pairs at distance t is
// proportional to the kernel of that dimension at t. Per dimension, with D = |x_a - x_b| along it:
//
//   40 linear bins of D on [0, 1];
//   the same bins with each pair weighted by its closeness in the other dimensions, w = prod_{k != i} (1 - D_k)^2;
//   16 bins near zero, each sqrt(2) wider than the one before, ending at D = 0.1; the first reaches down to 0.
//
// A bin holds sum(w y_a y_b) / (sum(w) + 1): the 1 pulls bins with few pairs to 0 and defines empty ones. The
// statistics do not depend on the order of rows and permute with the columns. Inputs of the network: nothing flows back
// through them.
#pragma once

#include "instantgp/base/matrix.h"
#include "instantgp/network/arena.h"

namespace instantgp {

inline constexpr int kLinearPairBins = 40;
inline constexpr int kLogPairBins = 16;
inline constexpr int kNumPairStatistics = 2 * kLinearPairBins + kLogPairBins;

// Up to this many rows every pair is used; beyond it as many pairs as this many rows have, chosen by a hash of the
// rows' values, so that the choice does not depend on their order.
inline constexpr int kPairRows = 300;

// statistics (d, kNumPairStatistics)
template <typename T>
void PairStatistics(const Matrix& X, const Vector& y, double y_scale, Arena& arena, T* statistics);

}  // namespace instantgp

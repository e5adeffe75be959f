// Hypotheses beside the network's, from the data alone, for data of few columns.
//
// Along one column the marginal likelihood has modes far apart: a smooth trend with everything else called noise, the
// same rows followed closely at a short lengthscale, one period of many. A network answers for the mode it has seen
// most; a candidate at another one costs a likelihood on a hundred rows or so, and wins only where it is better.
//   fine scale:  the lengthscales of SE and MAT52 at twice the spacing of the rows, little noise
//   periods:     PER at the likeliest frequencies, as waves of the likeliest shape (wave_scan.h), little noise
// All other parameters are those of the network's hypothesis with the most noise. With two or three columns there are
// periods alone, of one column at a time and the likeliest of every column together, and the other parameters are those
// of the network's first hypothesis.
#pragma once

#include <map>
#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/inference/wave_scan.h"
#include "instantgp/kernel/structure.h"

namespace instantgp {

// With two or three columns a wave along one of them is looked for as if the others were noise. NLML per point above
// that of the truth, mean of 150 draws of two columns with PER: 0.070 without waves, 0.014 with four of each column,
// 0.001 with steps from two starts (0.006 with two waves, 0.002 with six); of 100 draws of three columns 0.026 and
// -0.006. Of four columns 0.003 and -0.020, for twice the time: not worth it.
inline constexpr int kMostColumnsWithWaves = 3;

// The columns along which the structure has periods to look for; none with too many columns.
std::vector<int> ColumnsWithPeriods(const Structure& structure);
// The waves of these data along a column, for every structure that has periods there: a millisecond.
std::vector<Wave> WavesOf(const Matrix& X, const Vector& y, int column);
using ColumnWaves = std::map<int, std::vector<Wave>>;

// theta (p + 1, K) with further columns where the structure has few; X (n, columns) and y (n) are scaled. `waves` holds
// those of all columns with periods; null: they are looked for here. `pool` may be null.
Matrix WithHypothesesFromData(const Structure& structure, const Matrix& X, const Vector& y, const Matrix& theta,
                              const ColumnWaves* waves = nullptr, ThreadPool* pool = nullptr);

}  // namespace instantgp

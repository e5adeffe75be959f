// Frequencies at which a periodic function explains data along one column.
//
// PER is a sum of waves at a frequency f and its multiples, k(x, x') = sum_k q_k cos 2 pi k f (x - x') with
// q_k ~ I_k(1 / 4 l^2), so its marginal likelihood is that of a Bayesian regression on 2 H waves (H harmonics carry
// nearly all of the variance) beside a trend: a factorisation of size 2 H + 3 instead of n. All frequencies share the
// sums they need, sum_i e^{2 pi i f x_i} with f on a grid, because multiples of a grid frequency lie on the grid. The
// strongest single wave would do for a sine, but draws of PER have many harmonics, and the strongest is often not the
// first.
#pragma once

#include <vector>

#include "instantgp/base/matrix.h"

namespace instantgp {

struct Wave {
  double frequency = 0;    // cycles over [0, 1]
  double lengthscale = 0;  // PER's, on the sine
  double nlml = 0;         // of the regression, at the best scale; for comparing waves of the same data
};

// At most `count` local optima along the frequency, best first. x (n) in [0, 1], y (n) of any scale; a hundred rows are
// enough. None for fewer than eight rows or targets a parabola explains. 1 ms on 128 rows.
std::vector<Wave> LikelyWaves(const Vector& x, const Vector& y, int count);

}  // namespace instantgp

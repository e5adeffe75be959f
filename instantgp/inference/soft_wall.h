// Keeps parameters that the data do not determine from running away; shared by all fits.
#pragma once

#include <cmath>

#include "instantgp/base/matrix.h"

namespace instantgp {

// Where the likelihood has no optimum (a constant target wants every variance to be zero) a parameter would run to zero
// or infinity. Beyond a factor e^20 = 5e8 from 1 a soft wall 0.1 (|log theta| - 20)^2 holds it; nothing inside feels
// it. The NLML per point gains 1/2 at most from a log variance that is lowered by 1, so the wall stops one 2.5 beyond
// its start. `gradient` may be null; it may be longer than theta.
inline void AddSoftWall(const Vector& theta, double* value, Vector* gradient) {
  constexpr double kStart = 20, kStrength = 0.1;
  for (Index i = 0; i < theta.size(); ++i) {
    const double beyond = std::abs(theta[i]) - kStart;
    if (beyond <= 0) continue;
    *value += kStrength * beyond * beyond;
    if (gradient != nullptr) (*gradient)[i] += std::copysign(2 * kStrength * beyond, theta[i]);
  }
}

}  // namespace instantgp

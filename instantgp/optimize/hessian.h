// Second derivatives of a function that gives first ones.
#pragma once

#include <optional>

#include "instantgp/base/matrix.h"
#include "instantgp/optimize/objective.h"

namespace instantgp {

enum class Differences {
  kForward,  // size() + 1 gradients, error of first order in the step
  kCentral,  // 2 size() gradients, of second order
};

// The Hessian at x by differences of gradients, symmetrised. nullopt where some gradient cannot be had.
std::optional<Matrix> HessianByDifferences(FirstOrderFunction& function, const Vector& x, double step,
                                           Differences differences);

}  // namespace instantgp

// Second derivatives of a function that gives first ones.
#pragma once

#include <optional>

#include "instantgp/base/matrix.h"
#include "instantgp/optimize/objective.h"

namespace instantgp {

// The Hessian at x by central differences of gradients, 2 size() of them, symmetrised. nullopt where some gradient
// cannot be had.
std::optional<Matrix> HessianByDifferences(FirstOrderFunction& function, const Vector& x, double step);

}  // namespace instantgp

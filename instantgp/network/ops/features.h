// Token features: what the network sees of one value x_ij and its target y_j.
#pragma once

#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/network/arena.h"

namespace instantgp {

// Root mean square of y, or 1 when y is zero throughout.
double RootMeanSquare(const Vector& y);

// features (d n, 2 + 2 F): row i n + j is (x_ij, y_j / y_scale, sin(pi f x_ij) for each frequency, cos(pi f x_ij) for
// each). Inputs of the network: nothing flows back through them.
template <typename T>
void TokenFeatures(const Eigen::Ref<const Matrix>& X, const Vector& y, double y_scale,
                   const std::vector<double>& fourier, Arena& arena, T* features);

}  // namespace instantgp

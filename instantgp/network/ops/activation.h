// Elementwise activations.
#pragma once

#include <cstddef>

namespace instantgp {

// y_i = max(0, y_i), in place
template <typename T>
void ReluForward(std::size_t count, T* y);
// dx_i = 0 where the activation y_i = max(0, x_i) was 0
template <typename T>
void ReluBackward(std::size_t count, const T* y, T* dx);

// y = x Phi(x), Phi the normal distribution function (the exact GELU). y may be x.
template <typename T>
void GeluForward(std::size_t count, const T* x, T* y);
// dx *= Phi(x) + x phi(x)
template <typename T>
void GeluBackward(std::size_t count, const T* x, T* dx);

}  // namespace instantgp

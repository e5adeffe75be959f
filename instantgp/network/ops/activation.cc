#include "instantgp/network/ops/activation.h"

#include <cmath>

namespace instantgp {

template <typename T>
void ReluForward(std::size_t count, T* y) {
  for (std::size_t i = 0; i < count; ++i) y[i] = y[i] > 0 ? y[i] : T(0);
}

template <typename T>
void ReluBackward(std::size_t count, const T* y, T* dx) {
  // y = max(0, x)   =>   dx = dy where y > 0, else 0
  for (std::size_t i = 0; i < count; ++i) dx[i] = y[i] > 0 ? dx[i] : T(0);
}

template <typename T>
void GeluForward(std::size_t count, const T* x, T* y) {
  for (std::size_t i = 0; i < count; ++i) y[i] = x[i] * T(0.5) * std::erfc(x[i] * T(-M_SQRT1_2));
}

template <typename T>
void GeluBackward(std::size_t count, const T* x, T* dx) {
  // y = x Phi(x)   =>   dy/dx = Phi(x) + x phi(x)
  const T norm = T(0.39894228040143267794);
  for (std::size_t i = 0; i < count; ++i) {
    dx[i] *= T(0.5) * std::erfc(x[i] * T(-M_SQRT1_2)) + x[i] * norm * std::exp(T(-0.5) * x[i] * x[i]);
  }
}

template void ReluForward(std::size_t, float*);
template void ReluForward(std::size_t, double*);
template void ReluBackward(std::size_t, const float*, float*);
template void ReluBackward(std::size_t, const double*, double*);
template void GeluForward(std::size_t, const float*, float*);
template void GeluForward(std::size_t, const double*, double*);
template void GeluBackward(std::size_t, const float*, float*);
template void GeluBackward(std::size_t, const double*, double*);

}  // namespace instantgp

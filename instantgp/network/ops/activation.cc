#include "instantgp/network/ops/activation.h"

#include <algorithm>
#include <cmath>

#include "instantgp/network/ops/simd.h"

namespace instantgp {

using namespace simd;

template <typename T>
void ReluForward(std::size_t count, T* y) {
  for (std::size_t i = 0; i < count; ++i) y[i] = y[i] > 0 ? y[i] : T(0);
}

template <typename T>
void ReluBackward(std::size_t count, const T* y, T* dx) {
  // y = max(0, x)   =>   dx = dy where y > 0, else 0
  for (std::size_t i = 0; i < count; ++i) dx[i] = y[i] > 0 ? dx[i] : T(0);
}

// Phi(x) and exp(-x^2 / 2) of a float, by Abramowitz and Stegun 7.1.26 (1.5e-7 absolute):
//   erfc(z) = (a1 t + ... + a5 t^5) exp(-z^2),  t = 1 / (1 + p z),  z >= 0;  Phi(x) = erfc(-x / sqrt 2) / 2
HWY_INLINE void NormalDistribution(Vec<float> x, Vec<float>* phi, Vec<float>* bell) {
  const Tag<float> d;
  const Vec<float> z = hn::Mul(hn::Abs(x), hn::Set(d, 0.70710678118654752f));
  *bell = Exp2(hn::Mul(hn::Mul(z, z), hn::Set(d, -1.4426950408889634f)));
  const Vec<float> t = hn::Div(hn::Set(d, 1.0f), hn::MulAdd(z, hn::Set(d, 0.3275911f), hn::Set(d, 1.0f)));
  Vec<float> p = hn::Set(d, 1.061405429f);
  p = hn::MulAdd(p, t, hn::Set(d, -1.453152027f));
  p = hn::MulAdd(p, t, hn::Set(d, 1.421413741f));
  p = hn::MulAdd(p, t, hn::Set(d, -0.284496736f));
  p = hn::MulAdd(p, t, hn::Set(d, 0.254829592f));
  const Vec<float> half_tail = hn::Mul(hn::Mul(hn::Mul(p, t), *bell), hn::Set(d, 0.5f));
  *phi = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), half_tail, hn::Sub(hn::Set(d, 1.0f), half_tail));
}

// The same of a double, value by value: gradient checks need the exact function and no speed.
HWY_INLINE void NormalDistribution(Vec<double> x, Vec<double>* phi, Vec<double>* bell) {
  const Tag<double> d;
  HWY_ALIGN double in[kLanes<double>], distribution[kLanes<double>], density[kLanes<double>];
  hn::Store(x, d, in);
  for (int i = 0; i < kLanes<double>; ++i) {
    distribution[i] = 0.5 * std::erfc(-in[i] * M_SQRT1_2);
    density[i] = std::exp(-0.5 * in[i] * in[i]);
  }
  *phi = hn::Load(d, distribution);
  *bell = hn::Load(d, density);
}

// body(x, y) on whole vectors; a last part vector goes through a copy.
template <typename T, typename Body>
void ForEachVector(std::size_t count, const T* x, T* y, Body&& body) {
  constexpr std::size_t N = kLanes<T>;
  std::size_t i = 0;
  for (; i + N <= count; i += N) body(x + i, y + i);
  if (i == count) return;
  HWY_ALIGN T x_end[N] = {}, y_end[N] = {};
  std::copy(x + i, x + count, x_end);
  std::copy(y + i, y + count, y_end);
  body(x_end, y_end);
  std::copy(y_end, y_end + (count - i), y + i);
}

template <typename T>
void GeluForward(std::size_t count, const T* x, T* y) {
  const Tag<T> d;
  ForEachVector(count, x, y, [&](const T* in, T* out) HWY_ATTR {
    // y = x Phi(x)
    const Vec<T> v = hn::LoadU(d, in);
    Vec<T> phi, bell;
    NormalDistribution(v, &phi, &bell);
    hn::StoreU(hn::Mul(v, phi), d, out);
  });
}

template <typename T>
void GeluBackward(std::size_t count, const T* x, T* dx) {
  const Tag<T> d;
  ForEachVector(count, x, dx, [&](const T* in, T* out) HWY_ATTR {
    // y = x Phi(x)   =>   dy/dx = Phi(x) + x phi(x), phi = exp(-x^2 / 2) / sqrt(2 pi)
    const Vec<T> v = hn::LoadU(d, in);
    Vec<T> phi, bell;
    NormalDistribution(v, &phi, &bell);
    const Vec<T> slope = hn::MulAdd(hn::Mul(v, hn::Set(d, T(0.39894228040143267794))), bell, phi);
    hn::StoreU(hn::Mul(slope, hn::LoadU(d, out)), d, out);
  });
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

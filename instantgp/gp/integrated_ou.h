// The two functions that IOU is made of, without cancellation. Internal.
//
//   f(s) = s - 1 + exp(-s)            = s^2/2! - s^3/3! + ...
//   g(s) = 2 f(s) - s f'(s)
//        = s - 2 + (2 + s) exp(-s)    = s^3/3! - 2 s^4/4! + 3 s^5/5! - ...
//
// With u = x / l: k = v l^2 (f(|u|) + f(|u'|) - f(|u - u'|)), and dk / d log l is the same with g in place of f.
#pragma once

#include <array>

#include "instantgp/gp/pair_ops.h"

namespace instantgp::pair {

inline constexpr int kIouTerms = 17;  // up to s^18/18!: below 2e-16 at s = 1, where the closed forms take over

// The coefficients of s^2, s^3, ...
struct IouSeries {
  std::array<double, kIouTerms> f{}, g{};
  constexpr IouSeries() {
    double factorial = 1, sign = 1;
    for (int k = 2; k < kIouTerms + 2; ++k, sign = -sign) {
      factorial *= k;
      f[static_cast<std::size_t>(k - 2)] = sign / factorial;
      g[static_cast<std::size_t>(k - 2)] = -sign * (k - 2) / factorial;
    }
  }
};
inline constexpr IouSeries kIouSeries;

inline V IouHorner(const std::array<double, kIouTerms>& series, V s) {
  const D d;
  V sum = hn::Set(d, series.back());
  for (std::size_t k = series.size() - 1; k-- > 0;) sum = hn::MulAdd(sum, s, hn::Set(d, series[k]));
  return hn::Mul(sum, hn::Mul(s, s));
}

// For s >= 0.
inline V IouF(V s) {
  const V one = hn::Set(D(), 1.0);
  const V closed = hn::Add(hn::Sub(s, one), BoundedExp(hn::Neg(s)));
  return hn::IfThenElse(hn::Lt(s, one), IouHorner(kIouSeries.f, hn::Min(s, one)), closed);
}
inline V IouG(V s) {
  const V one = hn::Set(D(), 1.0), two = hn::Set(D(), 2.0);
  const V closed = hn::MulAdd(hn::Add(s, two), BoundedExp(hn::Neg(s)), hn::Sub(s, two));
  return hn::IfThenElse(hn::Lt(s, one), IouHorner(kIouSeries.g, hn::Min(s, one)), closed);
}

inline double IouF(double s) { return hn::GetLane(IouF(hn::Set(D(), s))); }
inline double IouG(double s) { return hn::GetLane(IouG(hn::Set(D(), s))); }

}  // namespace instantgp::pair

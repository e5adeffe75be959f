// The one gradient checker: analytic against fourth-order central differences, the worst entry counts.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "instantgp/base/matrix.h"

namespace instantgp::testing {

struct GradientError {
  double worst = 0;  // max over entries of |analytic - numeric| / max(|analytic|, |numeric|, floor)
  Index entry = -1;
  double analytic = 0;
  double numeric = 0;
};

// numeric = (8 (f(x+h) - f(x-h)) - (f(x+2h) - f(x-2h))) / (12 h): truncation O(h^4), rounding about 1e-16 |f| / h. How
// fast f bends is not known, so h, h/4, h/16, h/64 are tried and the pair of neighbours that agree best decides; the
// analytic value has no say in it. The floor, a hundredth of the largest entry, keeps an entry that is zero to rounding
// from being divided by nothing.
inline GradientError CheckGradient(const std::function<double(const Vector&)>& f, const Vector& x,
                                   const Vector& analytic, double h = 1e-3) {
  Vector numeric(x.size());
  for (Index i = 0; i < x.size(); ++i) {
    const auto at = [&](double shift) {
      Vector moved = x;
      moved[i] += shift;
      return f(moved);
    };
    double previous = 0, smallest = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 4; ++k) {
      const double step = h / std::pow(4.0, k);
      const double slope = (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step);
      if (k > 0 && std::abs(slope - previous) < smallest) {
        smallest = std::abs(slope - previous);
        numeric[i] = slope;
      }
      previous = slope;
    }
  }
  GradientError error;
  if (x.size() == 0) return error;
  const double floor = std::max(1e-2 * std::max(analytic.cwiseAbs().maxCoeff(), numeric.cwiseAbs().maxCoeff()), 1e-7);
  for (Index i = 0; i < x.size(); ++i) {
    const double scale = std::max({std::abs(analytic[i]), std::abs(numeric[i]), floor});
    double relative = std::abs(analytic[i] - numeric[i]) / scale;
    if (!std::isfinite(relative)) relative = std::numeric_limits<double>::infinity();
    if (relative > error.worst) error = {relative, i, analytic[i], numeric[i]};
  }
  return error;
}

inline void ExpectGradient(const std::function<double(const Vector&)>& f, const Vector& x, const Vector& analytic,
                           double tolerance = 1e-6, double h = 1e-3) {
  ASSERT_EQ(analytic.size(), x.size());
  const GradientError error = CheckGradient(f, x, analytic, h);
  EXPECT_LE(error.worst, tolerance) << "entry " << error.entry << ": analytic " << error.analytic << ", numeric "
                                    << error.numeric;
}

}  // namespace instantgp::testing

// The checker itself: it must pass a right gradient and catch wrong ones.
#include "tests/support/gradient_check.h"

#include <gtest/gtest.h>

#include <limits>

namespace instantgp::testing {
namespace {

double Wave(const Vector& x) { return std::sin(x[0]) * std::exp(x[1]) + 3 * x[2]; }

Vector WaveGradient(const Vector& x) {
  Vector g(3);
  g << std::cos(x[0]) * std::exp(x[1]), std::sin(x[0]) * std::exp(x[1]), 3;
  return g;
}

const Vector kPoint = (Vector(3) << 0.3, -0.7, 2.0).finished();

TEST(GradientCheck, AcceptsTheTrueGradient) {
  EXPECT_LE(CheckGradient(Wave, kPoint, WaveGradient(kPoint)).worst, 1e-9);
}

TEST(GradientCheck, CatchesOneWrongEntryOfMany) {
  for (Index i = 0; i < 3; ++i) {
    Vector g = WaveGradient(kPoint);
    g[i] *= 1 + 1e-5;
    const GradientError error = CheckGradient(Wave, kPoint, g);
    EXPECT_GT(error.worst, 1e-6);
    EXPECT_EQ(error.entry, i);
  }
}

TEST(GradientCheck, CatchesAMissingSmallEntryAndNaN) {
  Vector g = WaveGradient(kPoint);
  g[1] = 0;
  EXPECT_GT(CheckGradient(Wave, kPoint, g).worst, 0.5);
  g[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(CheckGradient(Wave, kPoint, g).worst <= 1e-6);
}

}  // namespace
}  // namespace instantgp::testing

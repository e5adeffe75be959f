// Tables whose numbers are so large or small that their squares are no doubles: everything a model says stays finite.
#include <gtest/gtest.h>

#include <cmath>

#include "instantgp/kernel/fixed.h"
#include "instantgp/kernel/parse.h"
#include "instantgp/model/fit.h"
#include "tests/support/fit_invariants.h"

namespace instantgp {
namespace {

Dataset TableOf(double x_scale, double y_scale) {
  Matrix X(7, 1);
  Vector y(7);
  for (int i = 0; i < 7; ++i) {
    X(i, 0) = i * x_scale;
    y[i] = (1 + i * i % 5) * y_scale;
  }
  return Dataset::Of(X, y);
}

TEST(ExtremeValues, AModelOfThemSaysFiniteNumbers) {
  for (const double x_scale : {1e-250, 1.0, 1e250}) {
    for (const double y_scale : {1e-300, 1e-200, 1e200, 4e262, 1e307}) {
      for (const char* kernel : {"SE", "LIN + SE", "WIE(x1)"}) {
        const Dataset data = TableOf(x_scale, y_scale);
        const Model model = Fit(data, kernel, {.method = Method::kMl, .steps = 3});
        Matrix X = data.X.topRows(3);
        X(2, 0) *= 1e10;
        EXPECT_EQ(testing::BrokenInvariant(model, X), "") << kernel << " " << x_scale << " " << y_scale;
        EXPECT_TRUE(std::isfinite(model.NoiseVarianceOriginalUnits()) && std::isfinite(model.AmplitudeOriginalUnits()));
      }
    }
  }
}

// Two rows of a logarithm know nothing of a third: its standard deviation is a double, the square of that is none.
TEST(ExtremeValues, LeftOutRowsOfALogarithmHaveAFiniteVariance) {
  const Dataset data = Dataset::Of((Matrix(2, 1) << 2000, 0).finished(), (Vector(2) << 1e9 + 1, 1).finished());
  const Model model = Fit(data, "PER", {.transform = TransformChoice::kLog});
  EXPECT_TRUE(model.Loo().variance.allFinite());
  EXPECT_EQ(testing::BrokenInvariant(model, data.X), "");
}

TEST(ExtremeValues, WhatAKernelFixesInTheirUnitsIsANumberInOurs) {
  const Expression expression = ParseKernel("LIN(x1, variance=1) + SE(x1, lengthscale=1e-9)", {"x1"});
  for (const double y_scale : {1e-250, 1.0, 1e250}) {
    for (const double range : {1e-250, 1.0, 1e250}) {
      const FixedRows fixed = FixedRowsOf(expression, Vector::Constant(1, range), y_scale);
      ASSERT_EQ(fixed.rows.size(), 2u);
      for (const double value : fixed.log_values) EXPECT_TRUE(std::isfinite(value)) << y_scale << " " << range;
    }
  }
}

}  // namespace
}  // namespace instantgp

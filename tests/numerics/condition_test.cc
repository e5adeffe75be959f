// What docs/numerics.md promises of double precision, on a small problem.
#include "tests/numerics/condition.h"

#include <gtest/gtest.h>

#include <cmath>

namespace instantgp::testing {
namespace {

TEST(Condition, ErrorsGrowNoFasterThanTheConditionNumber) {
  for (const char* kernel : {"SE", "MAT12"}) {
    const ConditionCurve curve = MeasureCondition(kernel, 16, 12);
    double last = 0;
    for (const ConditionPoint& p : curve.points) {
      SCOPED_TRACE(std::string(kernel) + ", noise " + std::to_string(p.noise));
      ASSERT_FALSE(p.refused);
      EXPECT_GE(p.condition, 0.9 * last) << "less noise, but a better condition";
      last = p.condition;
      if (p.jitter > 0 || p.condition > 1e12) continue;
      const double bound = 1e-13 + 1e-15 * p.condition;
      EXPECT_LT(p.nlml, bound);
      EXPECT_LT(p.gradient, bound);
      EXPECT_LT(p.mean, bound);
      EXPECT_LT(p.std, 1e-13 + std::sqrt(1e-15 * p.condition));  // a root of a difference
    }
    EXPECT_GT(last, std::string(kernel) == "SE" ? 1e10 : 50);  // MAT12 is rough: its eigenvalues hardly fall off
  }
}

}  // namespace
}  // namespace instantgp::testing

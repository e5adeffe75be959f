// Mixtures of transformed normals against sums over a fine grid.
#include "instantgp/forecast/distribution.h"

#include <gtest/gtest.h>

#include <cmath>

#include "instantgp/base/rng.h"

namespace instantgp {
namespace {

std::vector<double> SomeValues(RandomStream& random, bool zero) {
  std::vector<double> values;
  for (int k = 0; k < 30; ++k) values.push_back(std::exp(2 + 0.5 * random.Normal()));
  if (zero) values[3] = 0;
  return values;
}

TEST(TransformTest, InverseUndoesForwardAndTheJacobianIsItsSlope) {
  RandomStream random(1);
  for (const TransformKind kind : {TransformKind::kNone, TransformKind::kLog, TransformKind::kBoxCox}) {
    for (const bool zero : {false, true}) {
      const std::vector<double> values = SomeValues(random, zero);
      const auto transform = SeriesTransform::Fit(kind, values);
      ASSERT_TRUE(transform.has_value());
      double sum = 0, squares = 0, log_slopes = 0;
      for (const double y : values) {
        const double z = transform->Forward(y);
        EXPECT_NEAR(transform->Inverse(z), y, 1e-9 * (1 + y));
        sum += z;
        squares += z * z;
        if (y == 0) continue;
        const double h = 1e-6 * y;
        EXPECT_NEAR(transform->Slope(y), (transform->Forward(y + h) - transform->Forward(y - h)) / (2 * h),
                    1e-5 * transform->Slope(y));
        log_slopes += std::log(transform->Slope(y));
      }
      EXPECT_NEAR(sum / 30, 0, 1e-12);
      EXPECT_NEAR(squares / 30, 1, 1e-12);
      if (!zero) {
        EXPECT_NEAR(transform->LogJacobian(values), log_slopes, 1e-10);
      }
      EXPECT_TRUE(std::isfinite(transform->LogJacobian(values)));
    }
  }
  EXPECT_FALSE(SeriesTransform::Fit(TransformKind::kLog, {1, -1, 2}).has_value());
  EXPECT_FALSE(SeriesTransform::Fit(TransformKind::kNone, {2, 2, 2}).has_value());
}

TEST(DistributionTest, QuantilesInvertTheDistributionAndMomentsAreThoseOfItsDraws) {
  RandomStream random(2);
  const std::vector<double> values = SomeValues(random, false);
  std::vector<ForecastDistribution::Component> components;
  for (const TransformKind kind : {TransformKind::kNone, TransformKind::kLog, TransformKind::kBoxCox}) {
    components.push_back({*SeriesTransform::Fit(kind, values), random.Normal(), 0.3 + random.Uniform(), 1.0 / 3});
  }
  const ForecastDistribution mixture(components);
  double before = -1e300;
  for (int k = 1; k < 400; ++k) {
    const double level = k / 400.0, q = mixture.Quantile(level);
    EXPECT_NEAR(mixture.Cdf(q), level, 1e-9);
    EXPECT_GE(q, before);
    before = q;
  }
  // By quantiles in equal steps.
  constexpr int kSteps = 20000;
  double mean = 0, second = 0, crps = 0;
  const double y = 9;
  for (int k = 0; k < kSteps; ++k) {
    const double level = (k + 0.5) / kSteps, q = mixture.Quantile(level);
    mean += q / kSteps;
    second += q * q / kSteps;
    crps += 2 * (y >= q ? level * (y - q) : (1 - level) * (q - y)) / kSteps;
  }
  EXPECT_NEAR(mixture.Mean(), mean, 1e-2 * mean);
  EXPECT_NEAR(mixture.Std(), std::sqrt(second - mean * mean), 2e-2 * mixture.Std());
  EXPECT_NEAR(mixture.Crps(y), crps, 2e-2 * crps);
  EXPECT_EQ(ForecastDistribution::At(3).Quantile(0.9), 3);
  EXPECT_EQ(ForecastDistribution::At(3).Crps(5), 2);
}

}  // namespace
}  // namespace instantgp

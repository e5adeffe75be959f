#include "instantgp/data/target_transform.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "instantgp/base/error.h"
#include "instantgp/base/normal.h"
#include "instantgp/base/rng.h"
#include "instantgp/data/scaler.h"

namespace instantgp {
namespace {

constexpr TransformKind kKinds[] = {TransformKind::kNone, TransformKind::kLog, TransformKind::kBoxCox};

std::vector<double> PositiveValues(bool zero) {
  RandomStream random(3);
  std::vector<double> values;
  for (int i = 0; i < 40; ++i) values.push_back(std::exp(2 + random.Normal()));
  if (zero) values.push_back(0);
  return values;
}

TEST(TargetTransform, GoesThereAndBackWithTheSlopeOfItsDerivative) {
  for (const TransformKind kind : kKinds) {
    for (const bool zero : {false, true}) {
      const std::vector<double> values = PositiveValues(zero);
      const TargetTransform transform = TargetTransform::Fit(kind, values).value();
      for (const double y : values) {
        EXPECT_NEAR(transform.Inverse(transform.Forward(y)), y, 1e-12 * (1 + y));
        if (y == 0) continue;
        const double h = 1e-6 * y;
        EXPECT_NEAR(transform.Slope(y), (transform.Forward(y + h) - transform.Forward(y - h)) / (2 * h),
                    1e-7 * transform.Slope(y));
      }
      EXPECT_EQ(std::isfinite(std::log(transform.Slope(0))), zero || kind != TransformKind::kLog) << Name(kind);
    }
  }
}

// By integration over the normal density of g(y).
TEST(TargetTransform, MomentsAreThoseOfTheTransformedNormal) {
  for (const TransformKind kind : kKinds) {
    const TargetTransform transform = TargetTransform::Fit(kind, PositiveValues(kind == TransformKind::kLog)).value();
    const double mean_a = 2.5, std_a = 0.3, mean_b = 3, std_b = 0.4, c = 0.07;
    double mean = 0, square = 0, sum = 0, product = 0, mean_of_b = 0;
    constexpr int kGrid = 400;
    for (int i = 0; i < kGrid; ++i) {
      for (int j = 0; j < kGrid; ++j) {
        const double z = -8 + 16 * (i + 0.5) / kGrid, w = -8 + 16 * (j + 0.5) / kGrid;
        const double weight = NormalDensity(z) * NormalDensity(w);
        const double rho = c / (std_a * std_b);
        const double a = transform.Inverse(mean_a + std_a * z);
        const double b = transform.Inverse(mean_b + std_b * (rho * z + std::sqrt(1 - rho * rho) * w));
        sum += weight;
        mean += weight * a;
        mean_of_b += weight * b;
        square += weight * a * a;
        product += weight * a * b;
      }
    }
    mean /= sum;
    mean_of_b /= sum;
    EXPECT_NEAR(transform.MeanOf(mean_a, std_a), mean, 1e-9 * mean) << Name(kind);
    EXPECT_NEAR(transform.StdOf(mean_a, std_a), std::sqrt(square / sum - mean * mean), 1e-7 * mean) << Name(kind);
    EXPECT_NEAR(transform.CovOf(mean_a, std_a, mean_b, std_b, c), product / sum - mean * mean_of_b, 1e-7 * mean)
        << Name(kind);
  }
}

TEST(TargetTransform, ValuesItDoesNotAllowAreRefused) {
  for (const TransformKind kind : {TransformKind::kLog, TransformKind::kBoxCox}) {
    EXPECT_FALSE(TargetTransform::Fit(kind, std::vector<double>{1, -1e-9, 2}).has_value());
    EXPECT_FALSE(TargetTransform::Fit(kind, std::vector<double>{0, 0}).has_value());
    EXPECT_EQ(TargetTransform::Fit(kind, PositiveValues(false))->Forward(-1), -INFINITY);
  }
  EXPECT_EQ(TargetTransform::Fit(TransformKind::kLog, std::vector<double>{0, 3, 8})->shift(), 1.5);
  for (const double bad : {-1.0, 0.0, 20.0, double(NAN), double(INFINITY)}) {
    EXPECT_THROW(TargetTransform::FromParts(TransformKind::kLog, 0, bad, 10), Error) << bad;
  }
  EXPECT_THROW(TransformChoiceFromName("sqrt"), Error);
  for (const TransformChoice choice :
       {TransformChoice::kAuto, TransformChoice::kNone, TransformChoice::kLog, TransformChoice::kBoxCox}) {
    EXPECT_EQ(TransformChoiceFromName(std::string(Name(choice))), choice);
  }
}

// Predictions far beyond anything seen stay numbers.
TEST(TargetTransform, HugeValuesStayFinite) {
  for (const TransformKind kind : kKinds) {
    const TargetTransform transform = TargetTransform::Fit(kind, std::vector<double>{1e-300, 1e300}).value();
    for (const double g : {600.0, 1e4, 1e300}) EXPECT_TRUE(std::isfinite(transform.Inverse(g))) << Name(kind);
    EXPECT_NEAR(transform.Inverse(transform.Forward(1e300)) / 1e300, 1, 1e-12) << Name(kind);
    if (kind != TransformKind::kLog) continue;
    for (const double g : {600.0, 1e4, 1e300}) EXPECT_TRUE(std::isfinite(transform.MeanOf(g, 1)));
  }
}

TEST(ScalerWithTransform, StandardisesTheTransformAndKnowsItsUnit) {
  const std::vector<double> values = PositiveValues(false);
  const Vector y = Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
  const Matrix X = Vector::LinSpaced(y.size(), 0, 1);
  const Scaler plain = Scaler::Fit(X, y);
  EXPECT_EQ(plain.LogUnit(plain.ScaleY(y)), std::log(plain.y_std));
  for (const TransformKind kind : kKinds) {
    const TargetTransform transform = TargetTransform::Fit(kind, values).value();
    const Scaler scaler = Scaler::Fit(X, y, transform);
    const Vector z = scaler.ScaleY(y);
    EXPECT_NEAR(z.mean(), 0, 1e-13);
    EXPECT_NEAR(z.squaredNorm() / static_cast<double>(z.size()), 1, 1e-13);
    EXPECT_EQ(scaler.y_spread, plain.y_std);
    double sum = 0;
    for (const double value : values) sum += std::log(scaler.y_std / transform.Slope(value));
    EXPECT_NEAR(scaler.LogUnit(z), sum / static_cast<double>(y.size()), 1e-12) << Name(kind);
  }
}

// What two rows far outside the data have in common may be more than a double holds; it is never infinite, and no NaN.
TEST(TargetTransform, CovariancesStayFinite) {
  const std::vector<double> values = {1, 1e9};
  for (const TransformKind kind : {TransformKind::kLog, TransformKind::kBoxCox}) {
    const TargetTransform transform = *TargetTransform::Fit(kind, values);
    for (const double mean : {-1e200, -700.0, 0.0, 700.0, 1e200}) {
      for (const double std : {0.0, 30.0, 1e150}) {
        for (const double c : {-1e300, -5.0, 0.0, 5.0, 1e300}) {
          EXPECT_TRUE(std::isfinite(transform.CovOf(mean, std, mean, std, c))) << mean << " " << std << " " << c;
          EXPECT_TRUE(std::isfinite(transform.CovOf(mean, std, -mean, 1, c))) << mean << " " << std << " " << c;
        }
      }
    }
  }
}

}  // namespace
}  // namespace instantgp

#include "instantgp/data/scaler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "instantgp/base/rng.h"

namespace instantgp {
namespace {

Vector VectorOf(std::initializer_list<double> values) {
  Vector vector(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), vector.data());
  return vector;
}

TEST(Scaler, MapsInputsToTheUnitCubeAndTargetsToZeroMeanAndUnitVariance) {
  for (int seed = 0; seed < 100; ++seed) {
    RandomStream random(static_cast<std::uint64_t>(seed));
    const int n = random.UniformInt(2, 50);
    Matrix X(n, 3);
    Vector y(n);
    // Every magnitude of a double, from where squares underflow to where they overflow.
    for (Index j = 0; j < 3; ++j) {
      const double scale = std::pow(10, random.UniformInt(-300, 300));
      for (Index i = 0; i < n; ++i) X(i, j) = scale * random.Normal();
    }
    const double scale = std::pow(10, random.UniformInt(-300, 300));
    for (Index i = 0; i < n; ++i) y(i) = scale * (3 + random.Normal());
    const Scaler scaler = Scaler::Fit(X, y);
    const Matrix unit = scaler.ScaleX(X);
    EXPECT_EQ(unit.colwise().minCoeff().maxCoeff(), 0);
    EXPECT_EQ(unit.colwise().minCoeff().minCoeff(), 0);
    EXPECT_EQ(unit.colwise().maxCoeff().minCoeff(), 1);
    EXPECT_EQ(unit.colwise().maxCoeff().maxCoeff(), 1);
    const Vector standard = scaler.ScaleY(y);
    EXPECT_NEAR(standard.mean(), 0, 1e-13);
    EXPECT_NEAR(standard.squaredNorm() / n, 1, 1e-13);
    EXPECT_LE((scaler.UnscaleMean(standard) - y).cwiseAbs().maxCoeff(), 1e-14 * y.cwiseAbs().maxCoeff());
    EXPECT_NEAR(scaler.UnscaleStd(VectorOf({2}))(0) / scaler.y_std, 2, 1e-15);
  }
}

TEST(Scaler, DividesByTheNumberOfRows) {
  const Scaler scaler = Scaler::Fit(VectorOf({4, 2}), VectorOf({1, 3}));
  EXPECT_EQ(scaler.y_mean, 2);
  EXPECT_EQ(scaler.y_std, 1);
  EXPECT_EQ(scaler.x_min(0), 2);
  EXPECT_EQ(scaler.x_range(0), 2);
}

TEST(Scaler, AConstantColumnMapsToZeroEverywhere) {
  Matrix X(3, 2);
  X << 7, 1, 7, 2, 7, 3;
  const Scaler scaler = Scaler::Fit(X, VectorOf({1, 2, 3}));
  EXPECT_TRUE(scaler.constant_column[0]);
  EXPECT_FALSE(scaler.constant_column[1]);
  EXPECT_EQ(scaler.x_range(0), 1);
  Matrix elsewhere(1, 2);
  elsewhere << 1e6, 2;
  EXPECT_EQ(scaler.ScaleX(elsewhere)(0, 0), 0);
  EXPECT_EQ(scaler.ScaleX(elsewhere)(0, 1), 0.5);
}

TEST(Scaler, AConstantTargetMapsToZeroAndBack) {
  // 0.1 added n times and divided by n is not 0.1: the comparison must come first.
  for (const int n : {1, 2, 10}) {
    const Scaler scaler = Scaler::Fit(Vector::LinSpaced(n, 0, 1), Vector::Constant(n, 0.1));
    EXPECT_TRUE(scaler.constant_target);
    EXPECT_EQ(scaler.y_std, 1);
    EXPECT_EQ(scaler.ScaleY(Vector::Constant(n, 0.1)), Vector::Zero(n));
    EXPECT_EQ(scaler.UnscaleMean(Vector::Zero(n)), Vector::Constant(n, 0.1));
  }
}

TEST(Scaler, NothingOverflowsUpToTheLargestDouble) {
  const double largest = std::numeric_limits<double>::max();
  const double smallest = std::numeric_limits<double>::denorm_min();
  const Vector cases[] = {VectorOf({largest, -largest, 0}),
                          VectorOf({largest, largest, -largest, -largest}),
                          VectorOf({largest, largest / 2}),
                          VectorOf({0, smallest}),
                          VectorOf({1, 2, 3, 1e300}),
                          VectorOf({-1e300, 1e-300, 1e300}),
                          VectorOf({smallest, 3 * smallest, 0}),
                          VectorOf({1, std::nextafter(1.0, 2)}),
                          VectorOf({-largest, -largest, -largest, -largest, largest}),
                          VectorOf({1e-310, 2e-310, 1e-312})};
  for (const Vector& values : cases) {
    const Scaler scaler = Scaler::Fit(values, values);
    EXPECT_TRUE(std::isfinite(scaler.x_range(0)) && scaler.x_range(0) > 0) << values.transpose();
    EXPECT_TRUE(std::isfinite(scaler.y_std) && scaler.y_std > 0) << values.transpose();
    EXPECT_TRUE(std::isfinite(scaler.y_mean));
    const Matrix x = scaler.ScaleX(values);
    const Vector y = scaler.ScaleY(values);
    EXPECT_GE(x.minCoeff(), 0);
    EXPECT_LE(x.maxCoeff(), 2);
    EXPECT_LE(y.cwiseAbs().maxCoeff(), std::sqrt(static_cast<double>(values.size())) + 1) << values.transpose();
    EXPECT_TRUE(scaler.UnscaleMean(y).allFinite());
  }
}

TEST(Scaler, OneHugeOutlierLeavesTheRestFinite) {
  const Vector y = VectorOf({1, 2, 3, 4, 1e12});
  const Scaler scaler = Scaler::Fit(y, y);
  EXPECT_NEAR(scaler.ScaleY(y)(4), 2, 1e-9);  // (n-1)/sqrt(n-1) with n = 5
  EXPECT_NEAR(scaler.UnscaleMean(scaler.ScaleY(y))(0), 1, 1e-3);
}

TEST(Scaler, PointsFarOutsideStayFinite) {
  const Scaler scaler = Scaler::Fit(VectorOf({0, 1e-300}), VectorOf({0, 1e-300}));
  EXPECT_EQ(scaler.ScaleX(VectorOf({1e300}))(0), 1e100);
  EXPECT_EQ(scaler.ScaleY(VectorOf({-1e300}))(0), -1e100);
  const Scaler wide = Scaler::Fit(VectorOf({0, 1}), VectorOf({0, 1e300}));
  EXPECT_TRUE(wide.UnscaleMean(VectorOf({1e100, -1e100})).allFinite());
  EXPECT_TRUE(wide.UnscaleStd(VectorOf({1e100})).allFinite());
}

TEST(Scaler, IdentityChangesNothing) {
  const Scaler scaler = Scaler::Identity(2);
  const Matrix X = Matrix::Random(4, 2);
  EXPECT_EQ(scaler.ScaleX(X), X);
  EXPECT_EQ(scaler.ScaleY(X.col(0)), X.col(0));
  EXPECT_EQ(scaler.UnscaleMean(X.col(0)), X.col(0));
}

TEST(Scaler, IsAffineEquivariant) {
  // The scaled target does not know the units of the user.
  const Vector y = Vector::Random(20);
  const Vector scaled = Scaler::Fit(y, y).ScaleY(y);
  const Vector other = (y.array() * 1024 + 4096).matrix();
  EXPECT_LE((Scaler::Fit(other, other).ScaleY(other) - scaled).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_LE((Scaler::Fit(other, other).ScaleX(other) - Scaler::Fit(y, y).ScaleX(y)).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(Scaler, RefusesWhatADatasetCannotHold) {
  EXPECT_THROW(Scaler::Fit(VectorOf({NAN}), VectorOf({1})), std::logic_error);
  EXPECT_THROW(Scaler::Fit(VectorOf({1}), VectorOf({INFINITY})), std::logic_error);
  EXPECT_THROW(Scaler::Fit(Matrix(0, 1), Vector(0)), std::logic_error);
  EXPECT_THROW(Scaler::Identity(2).ScaleX(Matrix::Zero(1, 3)), std::logic_error);
}

}  // namespace
}  // namespace instantgp

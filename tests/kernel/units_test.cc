// Change of units: the same function of the data, written in other numbers.
#include "instantgp/kernel/units.h"

#include <gtest/gtest.h>

#include <cmath>

#include "instantgp/kernel/parameters.h"
#include "instantgp/kernel/parse.h"
#include "instantgp/kernel/structure.h"
#include "tests/support/naive_kernel.h"
#include "tests/support/random_kernels.h"

namespace instantgp {
namespace {

using testing::NaiveKernel;

std::vector<double> ToStd(const Vector& v) { return {v.data(), v.data() + v.size()}; }

// The kernel in original units at x - x_min equals y_scale^2 times the scaled kernel at (x - x_min) / range, for family
// members and any other tree.
TEST(UnitsTest, OriginalUnitsAreTheSameKernel) {
  RandomStream random(10);
  for (int i = 0; i < 3000; ++i) {
    const int d = random.UniformInt(1, 5);
    const Expression e = i % 2 == 0 ? ToExpression(testing::RandomStructure(random, d))
                                    : Canonical(testing::RandomExpression(random, d, 3));
    const ParameterTable table(e);
    const Vector parameters = DrawFromPrior(table, random).head(static_cast<Index>(table.size())).array().exp();
    Vector ranges(d);
    for (int k = 0; k < d; ++k) ranges[k] = std::exp(random.Uniform(-5, 5));
    const double y_scale = std::exp(random.Uniform(-4, 4));
    const Vector original = InOriginalUnits(e, parameters, ranges, y_scale);

    std::vector<double> x(d), z(d), x_original(d), z_original(d);
    for (int k = 0; k < d; ++k) {
      x[k] = random.Uniform();
      z[k] = random.Uniform();
      x_original[k] = ranges[k] * x[k];
      z_original[k] = ranges[k] * z[k];
    }
    const double scaled = NaiveKernel(e, x, z, ToStd(parameters));
    ASSERT_NEAR(NaiveKernel(e, x_original, z_original, ToStd(original)), y_scale * y_scale * scaled,
                1e-10 * y_scale * y_scale * std::max(scaled, 1e-300))
        << Print(e, DefaultColumnNames(d));
  }
}

TEST(UnitsTest, EveryParameterTakesItsUnit) {
  const Expression e = ParseKernel("PER(2) * LIN(1)", {"a", "b"});  // LIN(a): v, c; PER(b): v, l, p
  const Vector parameters = Vector::Ones(5);
  const Vector original = InOriginalUnits(e, parameters, Vector{{10, 7}}, 3);
  EXPECT_DOUBLE_EQ(original[0], 3.0 / 100);  // y_scale^2 shared over two columns
  EXPECT_DOUBLE_EQ(original[1], 3);
  EXPECT_DOUBLE_EQ(original[2], 3);
  EXPECT_DOUBLE_EQ(original[3], 1);  // on the sine: no unit
  EXPECT_DOUBLE_EQ(original[4], 7);
}

TEST(AmplitudeSharesTest, FirstFactorOfEveryAddendCarriesItsColumnsShare) {
  RandomStream random(11);
  for (int i = 0; i < 1000; ++i) {
    const Structure s = testing::RandomStructure(random, random.UniformInt(1, 8), 4, true);
    std::vector<double> expected;
    for (const auto& symbols : s.symbols) {
      for (BaseSymbol symbol : symbols) {
        expected.push_back(1.0 / s.dimensions());
        if (FactorsOf(symbol).size() == 2) expected.push_back(0);
      }
    }
    ASSERT_EQ(AmplitudeShares(ToExpression(s)), expected);
  }
}

TEST(CollapsedAmplitudeTest, IsThePriorVarianceAtTheCentre) {
  RandomStream random(12);
  for (int i = 0; i < 1000; ++i) {
    const int d = random.UniformInt(1, 4);
    const Expression e = Canonical(testing::RandomExpression(random, d, 3));
    const ParameterTable table(e);
    const Vector parameters = DrawFromPrior(table, random).head(static_cast<Index>(table.size())).array().exp();
    const std::vector<double> centre(d, 0.5);
    const double expected = NaiveKernel(e, centre, centre, ToStd(parameters));
    ASSERT_NEAR(CollapsedAmplitude(e, parameters), expected, 1e-12 * expected);
  }
}

// The oracle itself against values computed by hand.
TEST(NaiveKernelTest, KnowsTheFormulas) {
  const auto at = [](Elementary symbol, std::vector<double> parameters) {
    return NaiveKernel<double>(Expression::Leaf(symbol, 0), {0.75}, {0.25}, parameters);
  };
  EXPECT_DOUBLE_EQ(at(Elementary::kSE, {2, 0.5}), 2 * std::exp(-0.5));
  EXPECT_DOUBLE_EQ(at(Elementary::kLIN, {2, 0.5}), 0.875);
  EXPECT_DOUBLE_EQ(at(Elementary::kPER, {2, 0.5, 1}), 2 * std::exp(-2.0));  // half a period: sin^2 = 1
  EXPECT_NEAR(at(Elementary::kPER, {2, 0.5, 0.5}), 2, 1e-15);               // a whole period
  const double s = std::sqrt(5.0);
  EXPECT_DOUBLE_EQ(at(Elementary::kMAT52, {2, 0.5}), 2 * (1 + s + 5.0 / 3) * std::exp(-s));
  EXPECT_DOUBLE_EQ(at(Elementary::kMAT12, {2, 0.5}), 2 * std::exp(-1.0));
  EXPECT_DOUBLE_EQ(at(Elementary::kWIE, {2}), 0.5);
  // v (2 l m - l^2 + l^2 (exp(-t/l) + exp(-t'/l) - exp(-|t-t'|/l))), m = 1/4
  EXPECT_DOUBLE_EQ(at(Elementary::kIOU, {2, 0.5}),
                   2 * (0.25 - 0.25 + 0.25 * (std::exp(-1.5) + std::exp(-0.5) - std::exp(-1.0))));
  EXPECT_DOUBLE_EQ(at(Elementary::kBIAS, {2}), 2);
}

}  // namespace
}  // namespace instantgp

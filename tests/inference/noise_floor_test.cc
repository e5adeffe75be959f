// Point estimates on few rows keep the noise the rows speak for, and no less.
#include "instantgp/inference/noise_floor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "instantgp/base/rng.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/inference/svgp.h"
#include "instantgp/inference/type2_ml.h"
#include "instantgp/kernel/parse.h"
#include "instantgp/model/fit.h"
#include "tests/support/gradient_check.h"

namespace instantgp {
namespace {

Expression Kernel() { return ParseKernel("SE", {"x1", "x2"}); }

struct FewRows {
  Matrix X;
  Vector y;
};

FewRows Uniform(int n, int d, std::uint64_t seed) {
  RandomStream random(seed);
  FewRows table{Matrix(n, d), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d; ++k) table.X(i, k) = random.Uniform();
    table.y[i] = random.Normal();
  }
  return table;
}

double Variance(const Vector& y) { return (y.array() - y.mean()).square().mean(); }

// The wall as a standard deviation, relative to that of the targets.
double Wall(const FewRows& table) {
  return std::sqrt(std::exp(NoiseFloor(Kernel(), table.X, table.y).least()) / Variance(table.y));
}

TEST(NoiseFloor, EqualTargetsOfDifferentRowsMakeTheWall) {
  FewRows table = Uniform(6, 2, 1);
  EXPECT_EQ(Wall(table), 0);
  table.y << 0, 0, 0, 1, 1, 2;  // 3 + 1 of 15 pairs
  EXPECT_NEAR(Wall(table), 4.0 / 15 / 2, 1e-12);
  table.y *= 1e6;
  EXPECT_NEAR(Wall(table), 4.0 / 15 / 2, 1e-12);
  table.X.row(1) = table.X.row(2);  // a copy says nothing: 1 + 1 of 10 pairs
  EXPECT_NEAR(Wall(table), 2.0 / 10 / 2, 1e-12);
  table.X.row(0) = table.X.row(3);  // equal inputs, different targets
  EXPECT_NEAR(Wall(table), 2.0 / 10 / 2, 1e-12);
  table.y.setConstant(3);  // nothing to compare with
  const NoiseFloor constant(Kernel(), table.X, table.y);
  EXPECT_EQ(constant.least(), -std::numeric_limits<double>::infinity());
  EXPECT_FALSE(constant.InDoubt(-30));
  const FewRows one = Uniform(1, 2, 1);
  EXPECT_FALSE(NoiseFloor(Kernel(), one.X, one.y).InDoubt(-30));
}

TEST(NoiseFloor, TheWallAndItsGradient) {
  FewRows table = Uniform(6, 2, 1);
  table.y << 0, 0, 0, 1, 1, 2;
  const NoiseFloor floor(Kernel(), table.X, table.y);
  const auto wall = [&](const Vector& theta) {
    double value = 0;
    floor.AddWall(theta, &value, nullptr);
    return value;
  };
  for (const double below : {0.5, 3.0}) {
    const Vector theta = (Vector(3) << 0.3, -1, floor.least() - below).finished();
    double value = 0;
    Vector gradient = Vector::Zero(3);
    floor.AddWall(theta, &value, &gradient);
    EXPECT_NEAR(value, 0.5 * below * below, 1e-12);
    EXPECT_LT(testing::CheckGradient(wall, theta, gradient).worst, 1e-8);
  }
  EXPECT_EQ(wall((Vector(2) << 0, floor.least()).finished()), 0);
}

TEST(NoiseFloor, TwoRowsMustVouchForLittleNoise) {
  const FewRows table = Uniform(30, 2, 4);
  const NoiseFloor floor(Kernel(), table.X, table.y);  // three parameters: an amplitude and two lengthscales
  const double undetermined = std::log(Variance(table.y) / 30);
  EXPECT_FALSE(floor.InDoubt(undetermined - 0.9));
  EXPECT_TRUE(floor.InDoubt(undetermined - 1.1));
  // A likelihood that pays so many nats for a unit of log noise, down to a level.
  const auto paying = [](double nats, double down_to) {
    return [=](double log_noise) { return std::optional<double>(nats * std::max(log_noise, down_to) / 30); };
  };
  EXPECT_EQ(floor.LevelFor(undetermined - 0.9, paying(0, -20)), std::nullopt);
  EXPECT_EQ(floor.LevelFor(-15, paying(1.01 * 30 / 27, -20)), std::nullopt);
  EXPECT_EQ(floor.LevelFor(-15, paying(0.99 * 30 / 27, -20)), undetermined);
  EXPECT_EQ(floor.LevelFor(-15, paying(5, undetermined - 4)), undetermined - 4);
  const FewRows few = Uniform(3, 2, 4);
  EXPECT_EQ(NoiseFloor(Kernel(), few.X, few.y).LevelFor(-15, paying(100, -20)), std::log(Variance(few.y) / 3));
}

// The rule leaves every number alone where it does not strike.
TEST(NoiseFloor, TheObjectiveIsTheLikelihoodAlone) {
  const Expression e = Kernel();
  const FewRows table = Uniform(30, 2, 2);
  for (const double log_noise : {0.0, -5.0, -12.0}) {
    Vector theta = StandardStart(e);
    theta[theta.size() - 1] = log_noise;
    NlmlWorkspace workspace;
    const double nlml = NegativeLogMarginalLikelihood(Covariance(e), table.X, table.y, theta, nullptr, workspace).nlml;
    EXPECT_EQ(Type2Value(e, table.X, table.y, false, theta).value(), nlml);
  }
}

double NoiseStd(const Vector& theta) { return std::exp(0.5 * theta[theta.size() - 1]); }

TEST(NoiseFloor, LittleNoiseIsFoundWhereTheRowsTell) {
  const Expression e = Kernel();
  for (const double noise : {0.0, 0.004, 0.02}) {
    FewRows table = Uniform(40, 2, 3);
    for (Index i = 0; i < 40; ++i) {
      table.y[i] = std::sqrt(2.0) * std::sin(3 * table.X(i, 0) + 2 * table.X(i, 1)) + noise * table.y[i];
    }
    for (const bool map : {false, true}) {
      Type2Options options;
      options.map = map;
      const Type2Result result = FitType2(e, table.X, table.y, options);
      ASSERT_TRUE(result.ok);
      EXPECT_LT(NoiseStd(result.theta), 1.5 * noise + 0.005) << noise;
    }
    EXPECT_LT(NoiseStd(FitSvgp(e, table.X, table.y, {}).theta), 1.5 * noise + 0.01) << noise;
  }
}

// Columns of few levels, a target in steps, short lengthscales: rows that no other row comes near, and pairs that agree
// by chance.
FewRows FewLevels(int n, int d, int steps, std::uint64_t seed) {
  FewRows table = Uniform(n, d, seed);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < d; ++k) table.X(i, k) = std::floor(3 * table.X(i, k));
    table.y[i] = std::floor(steps * (table.y[i] + 0.5 * table.X(i, 0)));
  }
  return table;
}

// Without the rule the NLL of refine, ml and multistart was up to 4e7 here, of map and refine with priors up to 2e5.
TEST(NoiseFloor, NoMethodIsSureOfRowsItHasSeenOnce) {
  for (const int steps : {1, 2, 1000}) {
    const int n = 40, held_out = 300;
    const FewRows all = FewLevels(n + held_out, 7, steps, 5);
    const Dataset train = Dataset::Of(all.X.topRows(n), all.y.head(n));
    for (const Method method : {Method::kOneShot, Method::kRefine, Method::kMl, Method::kAdam, Method::kMultiStart,
                                Method::kMap, Method::kSvgp, Method::kAhgp}) {
      for (const bool map : {false, true}) {
        if (map && method != Method::kRefine) continue;
        const Model model = Fit(train, "SE", {.method = method, .map = map}, {.threads = 1});
        const Scores scores = model.Score(all.X.bottomRows(held_out), all.y.tail(held_out));
        EXPECT_LT(scores.nll_standardized, 10) << Name(method) << " " << map << ", " << steps << " steps";
      }
    }
  }
}

}  // namespace
}  // namespace instantgp

#include "instantgp/inference/descent.h"

#include <gtest/gtest.h>

#include <cmath>

#include "instantgp/gp/posterior.h"
#include "instantgp/inference/parameter_draws.h"
#include "instantgp/inference/type2_objective.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/simulate/distribution.h"
#include "tests/support/gradient_check.h"
#include "tests/support/random_kernels.h"

namespace instantgp {
namespace {

Simulated DrawPositive(std::uint64_t index, int n, int d) {
  SimulationOptions options;
  options.n = n;
  options.d = d;
  options.positives_only = true;
  return Simulate(options, 91, index);
}

LogParameters Perturbed(const LogParameters& theta, double size, std::uint64_t seed) {
  RandomStream random(seed);
  LogParameters moved = theta;
  for (Index i = 0; i < moved.size(); ++i) moved[i] += size * random.Normal();
  return moved;
}

TEST(Descent, NeverEndsAboveItsStartAndTakesBackMostOfAnError) {
  double before = 0, after = 0;
  for (std::uint64_t k = 0; k < 40; ++k) {
    const Simulated s = DrawPositive(k, k % 4 == 3 ? 260 : 60 + 3 * static_cast<int>(k), 1 + static_cast<int>(k) % 5);
    const Covariance covariance(ToExpression(s.given));
    const ClosedFormScale scale;
    NlmlPoint start;
    start.theta = Perturbed(s.theta, 0.4, k);
    Evaluate(covariance, s.X, s.y, &scale, start);
    if (!start.value.ok) continue;
    const LogParameters scaled = start.theta + start.value.log_scale * ScaleDirection(covariance.expression());
    const Descent descent = Descend(covariance, s.X, s.y, {&scaled, 1}, &scale, {}, nullptr, true, nullptr);
    ASSERT_TRUE(descent.end.value.ok);
    EXPECT_LE(descent.end.value.nlml, start.value.nlml + 1e-3);  // at the start the scale is not counted twice
    EXPECT_GT(descent.evaluations, 0);
    const double truth = Posterior(covariance.expression(), s.X, s.y, s.theta).nlml();
    before += start.value.nlml - truth;
    after += descent.end.value.nlml - truth;
  }
  EXPECT_LT(after, 0.3 * before);  // a period can be too far off to come back
}

TEST(Descent, IsTheSameOnAnyNumberOfThreads) {
  ThreadPool pool(3);
  for (const int n : {40, 210, 300}) {
    const Simulated s = DrawPositive(7, n, 3);
    const Covariance covariance(ToExpression(s.given));
    const ClosedFormScale scale;
    const LogParameters start = Perturbed(s.theta, 0.5, 3);
    const Descent one = Descend(covariance, s.X, s.y, {&start, 1}, &scale, {}, nullptr, true, nullptr);
    const Descent three = Descend(covariance, s.X, s.y, {&start, 1}, &scale, {}, nullptr, true, &pool);
    EXPECT_EQ(one.end.theta, three.end.theta);
    EXPECT_EQ(one.end.value.nlml, three.end.value.nlml);
  }
}

// What the optimiser is told is consistent: its gradient is that of its value, pull and priors included.
TEST(Type2Objective, SlopesAreThoseOfTheValue) {
  RandomStream random(4);
  for (int k = 0; k < 30; ++k) {
    const Structure structure = testing::RandomStructure(random, 1 + k % 4);
    const Expression expression = ToExpression(structure);
    const Covariance covariance(expression);
    const ParameterTable table(expression);
    const Simulated s = DrawPositive(static_cast<std::uint64_t>(k), 20, 1 + k % 4);
    const bool map = k % 2 == 1;
    Type2Objective objective(covariance, table, s.X, s.y, map, nullptr);
    LogParameters at = DrawFromPrior(table, random);
    at.noise() = std::log(0.1);
    Vector precision(at.size());
    for (Index i = 0; i < precision.size(); ++i) precision[i] = std::exp(random.Normal());
    if (k % 3 != 0) objective.PullTowards({Perturbed(at, 0.5, 9), precision, k % 3 == 1 ? 0.0 : 3.0});
    double value = 0;
    Vector moved = at, gradient;
    Matrix curvature;
    ASSERT_TRUE(objective.Value(moved, &value));
    ASSERT_TRUE(objective.Slopes(&gradient, &curvature));
    EXPECT_EQ(curvature.rows(), at.size());
    EXPECT_GE(curvature.diagonal().minCoeff(), -1e-12);
    const auto f = [&](const Vector& theta) {
      double v = 0;
      Vector own = theta;
      EXPECT_TRUE(objective.Value(own, &v));
      return v;
    };
    testing::ExpectGradient(f, at, gradient, 1e-5);
  }
}

// A polish compares values of one function: the same from everywhere along the scale, and where held noise forbids the
// best scale, asked for again at the point it answered.
TEST(Type2Objective, AnExactScaleIsTheSameFromEverywhere) {
  RandomStream random(5);
  for (int k = 0; k < 20; ++k) {
    const int d = 1 + k % 3;
    const Expression expression = ToExpression(testing::RandomStructure(random, d));
    const Covariance covariance(expression);
    const ParameterTable table(expression);
    const Simulated s = DrawPositive(static_cast<std::uint64_t>(k), 20, d);
    Type2Objective objective(covariance, table, s.X, s.y, false, nullptr);
    objective.SetScaleExactly();
    LogParameters at = DrawFromPrior(table, random);
    at.noise() = std::log(0.1);
    double value = 0, again = 0;
    LogParameters moved = at, from_there = at + 1.5 * ScaleDirection(expression);
    ASSERT_TRUE(objective.Value(moved, &value));
    ASSERT_TRUE(objective.Value(from_there, &again));
    EXPECT_NEAR(again, value, 1e-6);
    EXPECT_LT((from_there - moved).cwiseAbs().maxCoeff(), 1e-3);

    objective.HoldNoise(moved.noise() + 0.3);
    LogParameters held = moved;
    ASSERT_TRUE(objective.Evaluate(held, &again, nullptr));  // knows no scale
    ASSERT_TRUE(objective.Value(held, &value));
    EXPECT_EQ(held, moved);
    EXPECT_NEAR(again, value, 1e-9);
    Vector gradient;
    Matrix curvature;
    ASSERT_TRUE(objective.Slopes(&gradient, &curvature));
    const auto f = [&](const Vector& theta) {
      double v = 0;
      EXPECT_TRUE(objective.Evaluate(theta, &v, nullptr));
      return v;
    };
    testing::ExpectGradient(f, moved, gradient, 1e-5);
  }
}

// k parameters that the rows determine sharply, and others that they say nothing of: (n + k) / (n - k).
TEST(ParameterDraws, OptimismCountsTheParametersThatTheRowsDetermine) {
  Matrix H = Matrix::Zero(5, 5);
  EXPECT_NEAR(LogOptimism(H, 50), 0, 1e-12);
  H.diagonal() << 1e9, 1e9, 1e9, 0, 0;
  EXPECT_NEAR(LogOptimism(H, 50), std::log(53.0 / 47.0), 1e-6);
  H(3, 3) = 1;  // a standard deviation of one: half of a parameter
  EXPECT_NEAR(LogOptimism(H, 50), std::log(53.5 / 46.5), 1e-6);
  EXPECT_LE(LogOptimism(H, 4), std::log(2.0) + 1e-12);  // more parameters than rows can bear
}

TEST(ParameterDraws, ComeInPairsAboutTheAnswerAndFollowAPermutationOfTheColumns) {
  const Simulated s = DrawPositive(3, 60, 3);
  const Expression expression = ToExpression(s.given);
  const Matrix draws = DrawParameters(Covariance(expression), s.X, s.y, s.theta, Vector::Ones(s.theta.size()), 8);
  ASSERT_EQ(draws.cols(), 8);
  // About the answer, with kernel and noise a little larger (LogOptimism).
  const LogParameters direction = ScaleDirection(expression);
  for (Index k = 0; k < 8; k += 2) {
    const Vector away = 0.5 * (draws.col(k) + draws.col(k + 1)) - s.theta;
    const double larger = away.dot(direction) / direction.squaredNorm();
    EXPECT_GT(larger, 0);
    EXPECT_LT((away - larger * direction).head(s.theta.size() - 1).norm(), 1e-9);
    EXPECT_GT((draws.col(k) - s.theta).norm(), 1e-3);
  }
  // SE on every column: theta and draws are permuted with them.
  const Expression se = ToExpression(Structure{{0, 1, 2}, {{BaseSymbol::kSE}, {BaseSymbol::kSE}, {BaseSymbol::kSE}}});
  Vector theta(7), permuted(7);
  theta << 0.1, -0.5, 0.2, 0.3, 0.05, 1.2, -3;
  permuted << 0.05, 1.2, 0.1, -0.5, 0.2, 0.3, -3;
  const std::vector<int> order = {2, 0, 1};
  const Matrix a = DrawParameters(Covariance(se), s.X, s.y, theta, Vector::Ones(theta.size()), 4);
  const Matrix b = DrawParameters(Covariance(se), s.X(Eigen::all, order), s.y, permuted, Vector::Ones(theta.size()), 4);
  for (Index c = 0; c < 3; ++c) {
    EXPECT_LT((a.middleRows(2 * order[c], 2) - b.middleRows(2 * c, 2)).norm(), 1e-8);
  }
  EXPECT_LT((a.row(6) - b.row(6)).norm(), 1e-8);
}

TEST(ParameterDraws, MoreRowsLeaveLessToDraw) {
  const Simulated s = DrawPositive(5, 200, 2);
  const Expression expression = ToExpression(s.given);
  const auto spread = [&](Index n) {
    const Matrix draws = DrawParameters(Covariance(expression), s.X.topRows(n), s.y.head(n), s.theta,
                                        Vector::Ones(s.theta.size()), kParameterDraws);
    return (draws.colwise() - s.theta).squaredNorm();
  };
  EXPECT_LT(spread(200), spread(20));
}

}  // namespace
}  // namespace instantgp

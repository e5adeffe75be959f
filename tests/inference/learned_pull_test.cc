#include "instantgp/inference/learned_pull.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "instantgp/base/rng.h"
#include "instantgp/inference/descent.h"
#include "instantgp/inference/type2_objective.h"
#include "instantgp/simulate/distribution.h"
#include "tests/support/gradient_check.h"
#include "tests/support/random_kernels.h"
#include "tests/support/tables.h"

namespace instantgp {
namespace {

Simulated SomeDraw(std::uint64_t index, int n, int d) {
  SimulationOptions options;
  options.n = n;
  options.d = d;
  options.positives_only = true;
  return Simulate(options, 17, index);
}

// Random in every layer: it answers anything but zeros.
StepWeights Opinionated() {
  StepWeights weights = FirstStepWeights(8, 4);
  RandomStream random(5);
  for (float& w : weights.values) w += static_cast<float>(0.2 * random.Normal());
  return weights;
}

StepMatrix<float> ReadingOf(const Simulated& s, const Vector& y, LogParameters theta) {
  const Covariance covariance(ToExpression(s.given));
  const ParameterTable table(covariance.expression());
  Type2Objective objective(covariance, table, s.X, y, false, nullptr);
  StepStart start{.table = table,
                  .theta = std::move(theta),
                  .scale = ScaleDirection(covariance.expression()),
                  .gradient = {},
                  .curvature = {}};
  EXPECT_TRUE(objective.LookAt(start.theta, &start.nlml, &start.gradient, &start.curvature));
  start.mean_square = y.squaredNorm() / static_cast<double>(y.size());
  start.rows = static_cast<int>(y.size());
  start.columns = static_cast<int>(s.X.cols());
  return ReadStart(start);
}

TEST(LearnedPull, ReadsTheSameOfTargetsInOtherUnits) {
  for (std::uint64_t k = 0; k < 10; ++k) {
    const Simulated s = SomeDraw(k, 40, 1 + static_cast<int>(k) % 3);
    const double factor = 1e3;
    const LogParameters direction = ScaleDirection(ToExpression(s.given));
    const StepMatrix<float> as_it_is = ReadingOf(s, s.y, s.theta);
    const StepMatrix<float> scaled = ReadingOf(s, factor * s.y, s.theta + 2 * std::log(factor) * direction);
    EXPECT_TRUE(as_it_is.allFinite());
    EXPECT_LT((as_it_is - scaled).cwiseAbs().maxCoeff(), 2e-2) << k;  // four pseudo rows hold the scale where it was
  }
}

TEST(LearnedPull, ZerosAreTheConstantPull) {
  const LogParameters theta = Vector::LinSpaced(4, -2, 1);
  for (const int n : {10, 250, 700}) {
    const Pull constant = PullToStart(theta, n), answered = PullOfAnswers(theta, StepMatrix<float>::Zero(4, 2), n);
    EXPECT_EQ(constant.centre, answered.centre);
    EXPECT_EQ(constant.precision, answered.precision);
    EXPECT_DOUBLE_EQ(constant.precision[0], std::pow(PullStd(n), -2));
  }
}

TEST(LearnedPull, TheWeightsAreThoseOfTheCostAndOfAParabolaAboveIt) {
  RandomStream random(3);
  const Vector r = 3 * testing::NormalVector(random, 5);
  for (const double freedom : {0.0, 2.0, 6.0}) {
    Pull pull{Vector::Zero(5), Vector::LinSpaced(5, 0.3, 2), freedom};
    const double cost = PullNats(pull, r);
    const Vector w = PullWeights(pull, r);
    const auto f = [&](const Vector& at) { return PullNats(pull, at); };
    testing::ExpectGradient(f, r, w.cwiseProduct(r), 1e-6);
    for (const double share : {-1.0, 0.2, 0.9, 1.5, 4.0}) {
      const double change = 0.5 * (share * share - 1) * r.dot(w.cwiseProduct(r));
      EXPECT_LE(PullNats(pull, share * r), cost + change + 1e-12) << freedom << " " << share;
    }
  }
  // A Gaussian is the limit, and far out it costs much more.
  const Pull gauss{Vector::Zero(5), Vector::Ones(5), 0}, nearly{gauss.centre, gauss.precision, 1e7};
  EXPECT_NEAR(PullNats(nearly, r), PullNats(gauss, r), 1e-4);
  const Vector far = Vector::Constant(5, 6);
  EXPECT_LT(PullNats(PullToStart(Vector::Zero(5), 50), far), 0.4 * PullNats(gauss, far));
}

TEST(LearnedPull, AnswersAreHeldWithinBoundsAndTheirSlopesFollow) {
  const LogParameters theta = Vector::Zero(3);
  StepMatrix<float> answers(3, 2);
  answers << 0.5f, -0.4f, 100, -100, -1, 2;
  const Pull pull = PullOfAnswers(theta, answers, 20);
  EXPECT_NEAR(std::log(pull.precision[1]), 4, 1e-6);
  EXPECT_NEAR(pull.centre[1], -3, 1e-6);
  const Vector ones = Vector::Ones(3);
  const StepMatrix<float> slopes = AnswerSlopes(answers, ones, ones);
  const float h = 1e-2f;
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < 2; ++j) {
      StepMatrix<float> up = answers, down = answers;
      up(i, j) += h;
      down(i, j) -= h;
      const Pull a = PullOfAnswers(theta, up, 20), b = PullOfAnswers(theta, down, 20);
      const double numeric =
          (j == 0 ? std::log(a.precision[i] / b.precision[i]) : a.centre[i] - b.centre[i]) / (up(i, j) - down(i, j));
      EXPECT_NEAR(slopes(i, j), numeric, 1e-3);
    }
  }
}

// Looking at a start first changes nothing of what the optimiser is told there.
TEST(LearnedPull, LookingAtAStartIsFreeOfConsequences) {
  RandomStream random(8);
  for (std::uint64_t k = 0; k < 20; ++k) {
    const Simulated s = SomeDraw(k, 30, 1 + static_cast<int>(k) % 4);
    const Covariance covariance(ToExpression(s.given));
    const ParameterTable table(covariance.expression());
    Type2Objective looked(covariance, table, s.X, s.y, false, nullptr),
        plain(covariance, table, s.X, s.y, false, nullptr);
    LogParameters start = DrawFromPrior(table, random), other = start;
    start.noise() = other.noise() = std::log(0.1);
    double nlml = 0, value = 0, expected = 0;
    Vector gradient, own_gradient;
    Matrix curvature, own_curvature;
    ASSERT_TRUE(looked.LookAt(start, &nlml, &gradient, &curvature));
    ASSERT_TRUE(plain.Value(other, &expected));
    EXPECT_EQ(start, other);
    const Pull pull = PullToStart(start, 30);
    looked.PullTowards(pull);
    plain.PullTowards(pull);
    const LogParameters before = start;
    ASSERT_TRUE(looked.Value(start, &value));
    EXPECT_EQ(start, before);
    EXPECT_DOUBLE_EQ(value, expected);
    ASSERT_TRUE(looked.Slopes(&gradient, &curvature));
    ASSERT_TRUE(plain.Slopes(&own_gradient, &own_curvature));
    EXPECT_LT((gradient - own_gradient).norm(), 1e-12 * (1 + gradient.norm()));
    EXPECT_LT((curvature - own_curvature).norm(), 1e-12 * (1 + curvature.norm()));
    // Elsewhere it computes anew.
    LogParameters moved = (start.array() + 0.1).matrix(), same = moved;
    ASSERT_TRUE(looked.Value(moved, &value));
    ASSERT_TRUE(plain.Value(same, &expected));
    EXPECT_DOUBLE_EQ(value, expected);
  }
}

TEST(LearnedPull, ADescentAnswersForItsPullOnAnyNumberOfThreads) {
  const StepWeights steps = Opinionated();
  ThreadPool pool(3);
  for (const int n : {25, 120, 230}) {
    const Simulated s = SomeDraw(3, n, 2);
    const Covariance covariance(ToExpression(s.given));
    const ClosedFormScale scale;
    const LogParameters start = (s.theta.array() + 0.3).matrix();
    const Descent one = Descend(covariance, s.X, s.y, {&start, 1}, &scale, {}, &steps, true, nullptr);
    const Descent three = Descend(covariance, s.X, s.y, {&start, 1}, &scale, {}, &steps, true, &pool);
    ASSERT_TRUE(one.end.value.ok);
    EXPECT_EQ(one.end.theta, three.end.theta);
    EXPECT_EQ(one.pull.precision, three.pull.precision);
    EXPECT_EQ(one.reading.rows(), start.size());
    const Descent constant = Descend(covariance, s.X, s.y, {&start, 1}, &scale, {}, nullptr, true, nullptr);
    EXPECT_NE(one.end.theta, constant.end.theta);
    EXPECT_EQ(constant.reading.size(), 0);
  }
}

TEST(LearnedPull, HoldsWhatTheKernelFixes) {
  const StepWeights steps = Opinionated();
  const Simulated s = SomeDraw(5, 60, 2);
  const Covariance covariance(ToExpression(s.given));
  const ClosedFormScale scale;
  const ParameterTable table(covariance.expression());
  FixedRows fixed;
  for (Index row = 0; row < static_cast<Index>(table.size()); ++row) {
    const ParameterKind kind = table[static_cast<std::size_t>(row)].kind;
    if (kind != ParameterKind::kLengthscale && kind != ParameterKind::kPeriod) continue;
    fixed.rows = {row};
    fixed.log_values = {s.theta[row] - 0.2};
    break;
  }
  ASSERT_FALSE(fixed.empty());
  const LogParameters start = fixed.Held(s.theta);
  const Descent descent = Descend(covariance, s.X, s.y, {&start, 1}, &scale, fixed, &steps, true, nullptr);
  ASSERT_TRUE(descent.end.value.ok);
  EXPECT_EQ(descent.end.theta[fixed.rows[0]], fixed.log_values[0]);
}

}  // namespace
}  // namespace instantgp

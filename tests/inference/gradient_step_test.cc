#include "instantgp/inference/gradient_step.h"

#include <gtest/gtest.h>

#include <cmath>

#include "instantgp/base/thread_pool.h"
#include "instantgp/inference/oneshot.h"
#include "instantgp/kernel/parameters.h"
#include "tests/support/random_kernels.h"
#include "tests/support/tables.h"

namespace instantgp {
namespace {

// With its true structure.
Simulated DrawTrue(int n, int d, std::uint64_t index) { return testing::DrawSimulated(n, d, 31, index, 1); }

// The truth with every parameter moved: what a network that errs a little would say.
NlmlPoint Erring(const Simulated& s, const ClosedFormScale& scale, double by) {
  NlmlPoint candidate;
  candidate.theta = s.theta;
  for (Index i = 0; i < candidate.theta.size(); ++i) candidate.theta[i] += i % 2 == 0 ? by : -by;
  Evaluate(Covariance(ToExpression(s.given)), s.X, s.y, &scale, candidate);
  return candidate;
}

TEST(StepDown, NeverEndsHigherAndKeepsTheFactorOfItsEnd) {
  const ClosedFormScale scale;
  int lower = 0;
  for (int k = 0; k < 40; ++k) {
    const Simulated s = DrawTrue(30 + k, 1 + k % 4, k);
    const Covariance covariance(ToExpression(s.given));
    NlmlPoint candidate = Erring(s, scale, 0.4);
    ASSERT_TRUE(candidate.value.ok);
    const double before = candidate.value.nlml;
    StepDown(covariance, s.X, s.y, &scale, nullptr, candidate);
    EXPECT_LE(candidate.value.nlml, before);
    lower += candidate.value.nlml < before;
    NlmlWorkspace fresh;
    const NlmlValue value =
        NegativeLogMarginalLikelihood(covariance, s.X, s.y, candidate.theta, nullptr, fresh, &scale);
    EXPECT_NEAR(value.nlml, candidate.value.nlml, 1e-12 * (1 + std::abs(value.nlml)));
    const Matrix kept = candidate.workspace.A.triangularView<Eigen::Lower>();
    const Matrix anew = fresh.A.triangularView<Eigen::Lower>();
    EXPECT_LT((kept - anew).norm(), 1e-10 * anew.norm());
  }
  EXPECT_GE(lower, 36);
}

TEST(StepDown, ThreadsDoNotChangeTheBits) {
  const ClosedFormScale scale;
  ThreadPool pool(2);
  for (int k = 0; k < 12; ++k) {
    const Simulated s = DrawTrue(k % 2 == 0 ? 60 : 128, 1 + k % 3, 100 + k);
    const Covariance covariance(ToExpression(s.given));
    NlmlPoint alone = Erring(s, scale, 0.5), beside = alone;
    EXPECT_EQ(StepDown(covariance, s.X, s.y, &scale, nullptr, alone).evaluations,
              StepDown(covariance, s.X, s.y, &scale, &pool, beside).evaluations);
    EXPECT_EQ(alone.theta, beside.theta);
    EXPECT_EQ(TuneNoise(s.y, &scale, nullptr, alone).evaluations, TuneNoise(s.y, &scale, &pool, beside).evaluations);
    EXPECT_EQ(alone.theta, beside.theta);
    EXPECT_EQ(alone.value.nlml, beside.value.nlml);
  }
}

// From a distance within the reach of the step (periods keep their phase only very near the truth) most of what lies
// between the point and the truth is taken back.
TEST(StepDown, TakesBackMostOfASmallError) {
  const ClosedFormScale scale;
  double before = 0, after = 0;
  for (int k = 0; k < 30; ++k) {
    const Simulated s = DrawTrue(100, 1 + k % 3, 200 + k);
    NlmlPoint point;
    point.theta = s.theta;
    const ParameterTable table(ToExpression(s.given));
    for (std::size_t i = 0; i < table.size(); ++i) {
      const double by = table[i].kind == ParameterKind::kPeriod ? 0.02 : 0.4;
      point.theta[static_cast<Index>(i)] += i % 2 == 0 ? by : -by;
    }
    Evaluate(Covariance(ToExpression(s.given)), s.X, s.y, &scale, point);
    const double truth = Erring(s, scale, 0).value.nlml;
    before += point.value.nlml - truth;
    StepDown(Covariance(ToExpression(s.given)), s.X, s.y, &scale, nullptr, point);
    after += point.value.nlml - truth;
  }
  EXPECT_LT(after, 0.4 * before);
}

// What is reported as a step is one: at an optimum nothing is lower, nothing moves, and nobody says it did.
TEST(StepDown, SaysWhetherItMoved) {
  const ClosedFormScale scale;
  int moves = 0;
  for (int k = 0; k < 20; ++k) {
    const Simulated s = DrawTrue(60, 1, 300 + k);
    const Covariance covariance(ToExpression(s.given));
    NlmlPoint point = Erring(s, scale, k % 2 == 0 ? 0.5 : 0);
    for (int steps = 0; steps < 60; ++steps) {
      const Vector before = point.theta;
      const Move move = StepDown(covariance, s.X, s.y, &scale, nullptr, point);
      EXPECT_EQ(move.moved, before != point.theta);
      moves += move.moved ? 1 : 0;
    }
  }
  EXPECT_GT(moves, 20);
  EXPECT_LT(moves, 20 * 60);
}

// Where the gradient is not finite or nothing is lower, the point stays what it was.
TEST(StepDown, LeavesAnOptimumWhereItIs) {
  const ClosedFormScale scale;
  const Simulated s = DrawTrue(80, 1, 9);
  const Covariance covariance(ToExpression(s.given));
  NlmlPoint point = Erring(s, scale, 0);
  for (int k = 0; k < 200; ++k) StepDown(covariance, s.X, s.y, &scale, nullptr, point);
  const double value = point.value.nlml;
  StepDown(covariance, s.X, s.y, &scale, nullptr, point);
  EXPECT_NEAR(point.value.nlml, value, 1e-4);
  EXPECT_LE(point.value.nlml, value);
}

TEST(TuneNoise, FindsTheNoise) {
  const ClosedFormScale scale;
  for (const double wrong : {-1.2, -0.5, 0.5, 1.2}) {
    const Simulated s = DrawTrue(120, 1, 7);
    const Covariance covariance(ToExpression(s.given));
    NlmlPoint candidate;
    candidate.theta = s.theta;
    Evaluate(covariance, s.X, s.y, &scale, candidate);
    const double truth = candidate.value.nlml;
    candidate.theta.noise() += wrong;
    Evaluate(covariance, s.X, s.y, &scale, candidate);
    const double before = candidate.value.nlml - truth;
    TuneNoise(s.y, &scale, nullptr, candidate);
    EXPECT_LT(candidate.value.nlml - truth, std::max(0.25 * before, 0.002)) << wrong;
  }
}

// A Gram matrix that is known gives what is computed from the rows, for every symbol.
TEST(NlmlOfGram, IsTheLikelihoodWithTheKernelKnown) {
  const Simulated s = DrawTrue(25, 1, 3);
  const ClosedFormScale scale;
  for (const Structure& structure : testing::AllSymbolStructures()) {
    const Covariance covariance(ToExpression(structure));
    const Vector theta = Vector::Constant(covariance.num_parameters() + 1, -0.3);
    Matrix K(25, 25);
    CovarianceScratch scratch;
    covariance.Gram(s.X, theta.data(), K, scratch);
    NlmlWorkspace workspace;
    for (const ClosedFormScale* used : {static_cast<const ClosedFormScale*>(nullptr), &scale}) {
      const NlmlValue known = NlmlOfGram(K, s.y, -0.3, workspace, used);
      const NlmlValue anew = NegativeLogMarginalLikelihood(covariance, s.X, s.y, theta, nullptr, workspace, used);
      EXPECT_EQ(known.nlml, anew.nlml);
      EXPECT_EQ(known.log_scale, anew.log_scale);
    }
    EXPECT_FALSE(NlmlOfGram(K, s.y, std::nan(""), workspace).ok);
  }
}

TEST(Evaluate, RefusesParametersThatAreNotFinite) {
  const Simulated s = DrawTrue(20, 1, 4);
  const ClosedFormScale scale;
  NlmlPoint point = Erring(s, scale, 0);
  EXPECT_TRUE(point.value.ok);
  for (Index i = 0; i < point.theta.size(); ++i) {
    NlmlPoint broken = point;
    broken.theta[i] = std::nan("");
    Evaluate(Covariance(ToExpression(s.given)), s.X, s.y, &scale, broken);
    EXPECT_FALSE(broken.value.ok) << i;
  }
}

// With few rows the network's answer stands as it is.
TEST(OneShot, LeavesFewRowsAsDecoded) {
  const TrainedNetwork& network = TrainedNetwork::Embedded();
  for (const int n : {5, kFewestRowsToStep - 1, kFewestRowsToStep, 100}) {
    const Simulated s = DrawTrue(n, 2, 5);
    const Encoding e = network.Encode(Dataset::Of(s.X, s.y));
    const OneShot yes = InferOneShot(network, e, s.given), no = InferOneShot(network, e, s.given, {.bare = true});
    EXPECT_LE(yes.posterior.nlml(), no.posterior.nlml());
    EXPECT_EQ(yes.posterior.theta() == no.posterior.theta(), n < kFewestRowsToStep) << n;
  }
}

}  // namespace
}  // namespace instantgp

#include "instantgp/predict/tune.h"

#include <gtest/gtest.h>

#include <cmath>

#include "instantgp/kernel/parameters.h"
#include "instantgp/predict/oneshot.h"
#include "instantgp/simulate/distribution.h"
#include "tests/support/random_kernels.h"

namespace instantgp {
namespace {

Simulated Draw(std::uint64_t index, int n, int d) {
  SimulationOptions options;
  options.n = n;
  options.d = d;
  options.positive_p = 1;
  return Simulate(options, 31, index);
}

// The truth with every parameter moved: what a network that errs a little would say.
EvaluatedPoint Erring(const Simulated& s, const ClosedFormScale& scale, double by) {
  EvaluatedPoint candidate;
  candidate.theta = s.theta;
  for (Index i = 0; i < candidate.theta.size(); ++i) candidate.theta[i] += i % 2 == 0 ? by : -by;
  Evaluate(Covariance(ToExpression(s.given)), s.X, s.y, &scale, candidate);
  return candidate;
}

TEST(Tune, NeverEndsHigherAndKeepsTheFactorOfItsEnd) {
  const ClosedFormScale scale;
  int lower = 0;
  for (int k = 0; k < 40; ++k) {
    const Simulated s = Draw(static_cast<std::uint64_t>(k), 30 + k, 1 + k % 4);
    const Covariance covariance(ToExpression(s.given));
    EvaluatedPoint candidate = Erring(s, scale, 0.4);
    ASSERT_TRUE(candidate.value.ok);
    const double before = candidate.value.nlml;
    const int evaluations = Tune(s.given, covariance, s.X, s.y, &scale, nullptr, candidate);
    EXPECT_GE(evaluations, 2);
    EXPECT_LE(evaluations, 9);
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

TEST(Tune, ThreadsDoNotChangeTheBits) {
  const ClosedFormScale scale;
  ThreadPool pool(2);
  for (int k = 0; k < 10; ++k) {
    const Simulated s = Draw(100 + static_cast<std::uint64_t>(k), 60, 2);
    const Covariance covariance(ToExpression(s.given));
    EvaluatedPoint alone = Erring(s, scale, 0.5), beside = alone;
    EXPECT_EQ(Tune(s.given, covariance, s.X, s.y, &scale, nullptr, alone),
              Tune(s.given, covariance, s.X, s.y, &scale, &pool, beside));
    EXPECT_EQ(alone.theta, beside.theta);
  }
}

TEST(Tune, FindsTheNoise) {
  const ClosedFormScale scale;
  for (const double wrong : {-1.2, -0.5, 0.5, 1.2}) {
    const Simulated s = Draw(7, 120, 1);
    const Covariance covariance(ToExpression(s.given));
    EvaluatedPoint candidate;
    candidate.theta = s.theta;
    Evaluate(covariance, s.X, s.y, &scale, candidate);
    const double truth = candidate.value.nlml;
    candidate.theta[candidate.theta.size() - 1] += wrong;
    Evaluate(covariance, s.X, s.y, &scale, candidate);
    const double before = candidate.value.nlml - truth;
    TuneNoise(covariance, s.X, s.y, &scale, nullptr, candidate);
    EXPECT_LT(candidate.value.nlml - truth, std::max(0.25 * before, 0.002)) << wrong;
  }
}

// A Gram matrix that is known gives what is computed from the rows, for every symbol.
TEST(NlmlOfGram, IsTheLikelihoodWithTheKernelKnown) {
  const Simulated s = Draw(3, 25, 1);
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
  const Simulated s = Draw(4, 20, 1);
  const ClosedFormScale scale;
  EvaluatedPoint point = Erring(s, scale, 0);
  EXPECT_TRUE(point.value.ok);
  for (Index i = 0; i < point.theta.size(); ++i) {
    EvaluatedPoint broken = point;
    broken.theta[i] = std::nan("");
    Evaluate(Covariance(ToExpression(s.given)), s.X, s.y, &scale, broken);
    EXPECT_FALSE(broken.value.ok) << i;
  }
}

// With few rows the network's answer stands as it is.
TEST(Tune, LeavesFewRowsAlone) {
  const TrainedNetwork& network = TrainedNetwork::Embedded();
  for (const int n : {5, kFewestRowsToTune - 1, kFewestRowsToTune, 100}) {
    const Simulated s = Draw(5, n, 2);
    const Encoding e = network.Encode(Dataset::Of(s.X, s.y));
    const Matrix theta = network.Decode(e, s.given);
    const auto scale = ScaleOf(network.config());
    const OneShot yes = ChoosePosterior(s.given, e.X, e.y, theta, scale, nullptr, Tuned::kYes);
    const OneShot no = ChoosePosterior(s.given, e.X, e.y, theta, scale, nullptr, Tuned::kNo);
    EXPECT_LE(yes.posterior.nlml(), no.posterior.nlml());
    EXPECT_EQ(yes.posterior.theta() == no.posterior.theta(), n < kFewestRowsToTune) << n;
  }
}

}  // namespace
}  // namespace instantgp

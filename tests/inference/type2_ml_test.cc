#include "instantgp/inference/type2_ml.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/inference/refine.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/kernel/parse.h"
#include "tests/support/gradient_check.h"
#include "tests/support/random_kernels.h"
#include "tests/support/tables.h"

namespace instantgp {
namespace {

double Nlml(const Expression& e, const Simulated& s, const Vector& theta, Vector* gradient = nullptr) {
  NlmlWorkspace workspace;
  const NlmlValue value = NegativeLogMarginalLikelihood(Covariance(e), s.X, s.y, theta, gradient, workspace);
  EXPECT_TRUE(value.ok);
  return value.nlml;
}

TEST(Type2, LbfgsNeverEndsAboveItsStartAndUsuallyBelowTheTruth) {
  int below_truth = 0;
  const int count = 20;
  for (int k = 0; k < count; ++k) {
    const Simulated s = testing::DrawPositive(60, 77, k);
    const Expression e = ToExpression(s.truth);
    const Type2Result result = FitType2(e, s.X, s.y, {});
    ASSERT_TRUE(result.ok) << result.message;
    EXPECT_LE(result.nlml, result.nlml_start);
    EXPECT_DOUBLE_EQ(result.nlml, Nlml(e, s, result.theta));
    EXPECT_DOUBLE_EQ(result.nlml_start, Nlml(e, s, StandardStart(e)));
    below_truth += result.nlml < Nlml(e, s, s.theta) + 1e-9;
  }
  EXPECT_GE(below_truth, count / 2);  // the likelihood at its optimum beats the parameters that made the data
}

TEST(Type2, ConvergedMeansTheGradientIsSmall) {
  for (int k = 0; k < 10; ++k) {
    const Simulated s = testing::DrawPositive(40, 77, 100 + k);
    const Expression e = ToExpression(s.truth);
    Type2Options options;
    options.max_steps = 2000;
    options.map = true;  // with the priors no parameter runs away, so a stationary point is reached
    const Type2Result result = FitType2(e, s.X, s.y, options);
    ASSERT_TRUE(result.ok);
    Vector gradient;
    Nlml(e, s, result.theta, &gradient);
    const ParameterTable table(e);
    for (Index i = 0; i < gradient.size(); ++i) {
      const GammaPrior prior = i + 1 == gradient.size() ? NoisePrior() : table[i].prior;
      gradient[i] -= prior.DLogDensity(result.theta[i]) / 40.0;
    }
    // Held noise (noise_floor.h) still wants to fall.
    const double variance = (s.y.array() - s.y.mean()).square().mean();
    if (std::exp(result.theta.noise()) < variance / 40) gradient[gradient.size() - 1] = 0;
    EXPECT_LT(gradient.cwiseAbs().maxCoeff(), 2e-3) << k << ": " << Describe(result.reason);
  }
}

TEST(Type2, CurvatureSavesSteps) {
  double second_order = 0, first_order = 0;
  for (int k = 0; k < 20; ++k) {
    const Simulated s = testing::DrawPositive(60, 77, k);
    const Expression e = ToExpression(s.truth);
    Type2Options options;
    options.max_steps = 6;
    first_order += FitType2(e, s.X, s.y, options).value;
    options.optimizer = Optimizer::kSecondOrder;
    const Type2Result result = FitType2(e, s.X, s.y, options);
    EXPECT_NEAR(result.value, Type2Value(e, s.X, s.y, false, result.theta).value(), 1e-5);
    EXPECT_LE(result.value, Type2Value(e, s.X, s.y, false, StandardStart(e)).value());
    second_order += result.value;
  }
  EXPECT_LT(second_order, first_order - 20 * 0.01);
}

TEST(Refine, AStopEndsIt) {
  const Expression kernel = ParseKernel("SE + PER", {"x"});
  ThreadPool pool(2);
  std::stop_source source;
  source.request_stop();
  for (const int rows : {60, 300}) {
    const Simulated s = testing::DrawSimulated(rows, 1, 77, 5);
    Type2Options options;
    options.pool = &pool;
    options.stop = source.get_token();
    EXPECT_EQ(Refine(kernel, s.X, s.y, StandardStart(kernel), {}, options).reason, StopReason::kInterrupted) << rows;
  }
}

// Without another end the standard start is there too.
TEST(Refine, AStartThatFailsLeavesTheOther) {
  const Simulated s = testing::DrawSimulated(60, 1, 77, 5);
  const Expression kernel = ParseKernel("SE", {"x"});
  const LogParameters start = StandardStart(kernel);
  const LogParameters nowhere = Vector::Constant(start.size(), std::numeric_limits<double>::quiet_NaN());
  const Type2Result result = Refine(kernel, s.X, s.y, nowhere, {}, {});
  ASSERT_TRUE(result.ok);
  EXPECT_LT(result.value, Type2Value(kernel, s.X, s.y, false, start).value());
}

// What the fit says of its ends without evaluating them again is what an evaluation says.
TEST(Refine, TheLikelihoodItReportsIsThatOfItsParameters) {
  for (const char* text : {"SE", "SE + PER", "LIN + MAT52"}) {
    const Expression kernel = ParseKernel(text, {"x"});
    for (const int rows : {12, 60, 300}) {
      const Simulated s = testing::DrawSimulated(rows, 1, 78, rows);
      const Type2Result result = Refine(kernel, s.X, s.y, StandardStart(kernel), {}, {});
      ASSERT_TRUE(result.ok);
      NlmlWorkspace workspace;
      const Covariance covariance(kernel);
      const NlmlValue value = NegativeLogMarginalLikelihood(covariance, s.X, s.y, result.theta, nullptr, workspace);
      EXPECT_NEAR(result.nlml, value.nlml, 1e-8) << text << ", " << rows << " rows";
    }
  }
}

TEST(Type2, MapPullsTowardsThePriorWhenDataAreFew) {
  const Expression e = ParseKernel("SE", {"x"});
  const Matrix X = (Matrix(2, 1) << 0.0, 1.0).finished();
  const Vector y = (Vector(2) << 1.0, -1.0).finished();
  Type2Options options;
  options.map = true;
  const Type2Result map = FitType2(e, X, y, options);
  ASSERT_TRUE(map.ok);
  // Gamma(2,5) on the lengthscale has its mode at 0.2, Gamma(2,3) on the variance at 1/3: two points cannot move them
  // far.
  EXPECT_GT(std::exp(map.theta[1]), 0.05);
  EXPECT_LT(std::exp(map.theta[1]), 1.0);
  EXPECT_GT(std::exp(map.theta[0]), 0.1);
  EXPECT_LT(std::exp(map.theta[0]), 3.0);
}

TEST(Type2, MultiStartKeepsTheBestEndAndDoesNotDependOnThreads) {
  const Simulated s = testing::DrawPositive(30, 77, 200);
  const Expression e = ToExpression(s.truth);
  Type2Options options;
  options.optimizer = Optimizer::kAdam;
  options.restarts = 6;
  options.seed = 5;
  options.max_steps = 40;
  int calls = 0;
  options.progress = [&](int, int of) {
    ++calls;
    EXPECT_EQ(of, 6);
  };
  const Type2Result one = FitMultiStart(e, s.X, s.y, options);
  EXPECT_EQ(calls, 6);
  options.progress = nullptr;
  for (int threads : {2, 3, 6}) {
    ThreadPool pool(threads);
    options.pool = &pool;
    const Type2Result many = FitMultiStart(e, s.X, s.y, options);
    EXPECT_EQ(one.theta, many.theta);
    EXPECT_EQ(one.nlml, many.nlml);
    EXPECT_EQ(one.evaluations, many.evaluations);
  }
  options.pool = nullptr;
  // Fewer starts are a prefix of more: the best can only get better.
  options.restarts = 2;
  EXPECT_GE(FitMultiStart(e, s.X, s.y, options).nlml, one.nlml);
}

TEST(Type2, AdamFollowsTheStepLimitAndReturnsItsBestPoint) {
  const Simulated s = testing::DrawPositive(30, 77, 300);
  const Expression e = ToExpression(s.truth);
  Type2Options options;
  options.optimizer = Optimizer::kAdam;
  const Type2Result result = FitType2(e, s.X, s.y, options);
  ASSERT_TRUE(result.ok);
  EXPECT_LE(result.steps, 150);
  EXPECT_LE(result.nlml, result.nlml_start);
}

TEST(Type2, EveryExpressionOfTheLanguageCanBeFitted) {
  RandomStream random(9);
  for (int k = 0; k < 20; ++k) {
    const int d = 1 + k % 3;
    const Expression e = Canonical(testing::RandomExpression(random, d, 3));
    const Matrix X = testing::UniformMatrix(random, 15, d);
    const Vector y = testing::NormalVector(random, 15);
    const Type2Result result = FitType2(e, X, y, {});
    EXPECT_TRUE(result.ok) << result.message;
    EXPECT_TRUE(std::isfinite(result.nlml));
  }
}

// Without an optimum the parameters stop at the wall instead of underflowing to zero.
TEST(Type2, AConstantTargetLeavesEveryParameterPositive) {
  for (const char* kernel : {"SE", "LIN", "PER", "MAT52", "SE*LIN + PER"}) {
    const Expression e = ParseKernel(kernel, {"x"});
    const Type2Result result = FitType2(e, Vector::LinSpaced(10, 0, 1), Vector::Zero(10), {});
    ASSERT_TRUE(result.ok) << kernel;
    EXPECT_LT(result.theta.cwiseAbs().maxCoeff(), 40) << kernel;
  }
}

TEST(Type2, AStopRequestEndsIt) {
  const Simulated s = testing::DrawPositive(30, 77, 400);
  std::stop_source source;
  source.request_stop();
  Type2Options options;
  options.stop = source.get_token();
  EXPECT_EQ(FitType2(ToExpression(s.truth), s.X, s.y, options).reason, StopReason::kInterrupted);
}

}  // namespace
}  // namespace instantgp

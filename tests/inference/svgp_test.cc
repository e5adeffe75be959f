// The sparse variational Gaussian process as a fit and as a posterior.
#include "instantgp/inference/svgp.h"

#include <gtest/gtest.h>

#include <cmath>

#include "instantgp/gp/posterior.h"
#include "instantgp/gp/sparse_posterior.h"
#include "instantgp/inference/type2_ml.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/kernel/parse.h"
#include "tests/support/random_kernels.h"
#include "tests/support/tables.h"

namespace instantgp {
namespace {

struct Problem {
  Matrix X;
  Vector y;
};

Problem NoisyWave(int n, std::uint64_t seed) {
  RandomStream random(seed);
  Problem problem{Matrix(n, 1), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    problem.X(i, 0) = random.Uniform();
    problem.y[i] = std::sin(9 * problem.X(i, 0)) + 0.1 * random.Normal();
  }
  return problem;
}

// With every row an inducing point the sparse posterior is the exact one.
TEST(SparsePosterior, AgreesWithTheExactOneWhenEveryRowIsAnInducingPoint) {
  RandomStream random(1);
  for (const Structure& s : testing::AllPairStructures()) {
    const Expression e = ToExpression(s);
    const Problem problem = NoisyWave(40, 7);
    LogParameters theta = DrawFromPrior(ParameterTable(e), random);
    theta.noise() = std::log(0.05);
    const Posterior exact(e, problem.X, problem.y, theta);
    const SparsePosterior sparse(e, problem.X, problem.y, problem.X, theta);
    const Matrix X_new = Vector::LinSpaced(11, -0.3, 1.3);
    for (Noise noise : {Noise::kLatent, Noise::kObserved}) {
      Vector mean, std, sparse_mean, sparse_std;
      exact.MeanAndStd(X_new, noise, &mean, &std);
      sparse.MeanAndStd(X_new, noise, &sparse_mean, &sparse_std);
      const double scale = 1 + std.cwiseAbs2().maxCoeff();
      EXPECT_LT((mean - sparse_mean).cwiseAbs().maxCoeff(), 1e-5 * scale);
      EXPECT_LT((std.cwiseAbs2() - sparse_std.cwiseAbs2()).cwiseAbs().maxCoeff(), 1e-5 * scale);
      const Matrix cov = sparse.Cov(X_new, noise);
      EXPECT_LT((exact.Cov(X_new, noise) - cov).cwiseAbs().maxCoeff(), 1e-5 * scale);
      EXPECT_LT((cov.diagonal() - sparse_std.cwiseAbs2()).cwiseAbs().maxCoeff(), 1e-9 * scale);
    }
    EXPECT_NEAR(sparse.nlml(), exact.nlml(), 1e-6);
  }
}

TEST(SparsePosterior, SamplesHaveItsMoments) {
  const Problem problem = NoisyWave(50, 8);
  const Expression e = ParseKernel("SE", {"x"});
  const SparsePosterior sparse(e, problem.X, problem.y, problem.X.topRows(12),
                               (Vector(3) << 0.0, -1.5, std::log(0.02)).finished());
  const Matrix X_new = Vector::LinSpaced(3, 0, 1);
  Vector mean, std;
  sparse.MeanAndStd(X_new, Noise::kObserved, &mean, &std);
  const int count = 20000;
  const Matrix samples = sparse.Samples(X_new, Noise::kObserved, count, 3);
  for (Index i = 0; i < 3; ++i) {
    EXPECT_NEAR(samples.row(i).mean(), mean[i], 5 * std[i] / std::sqrt(count));
    const double variance = (samples.row(i).array() - mean[i]).square().mean();
    EXPECT_NEAR(variance, std[i] * std[i], 0.05 * std[i] * std[i]);
  }
}

// A smooth function needs few inducing points: the bound all but reaches the likelihood's optimum.
TEST(Svgp, ReachesTheExactFitWithFewPointsOnASmoothFunction) {
  const Problem problem = NoisyWave(120, 9);
  const Expression e = ParseKernel("SE", {"x"});
  const Type2Result exact = FitType2(e, problem.X, problem.y, {});
  SvgpOptions options;
  options.inducing = 15;
  const SvgpResult sparse = FitSvgp(e, problem.X, problem.y, options);
  ASSERT_TRUE(sparse.ok) << sparse.message;
  EXPECT_EQ(sparse.Z.rows(), 15);
  EXPECT_GE(sparse.negative_elbo, exact.nlml - 1e-6);
  EXPECT_LT(sparse.negative_elbo, exact.nlml + 0.02);
  EXPECT_LT(sparse.negative_elbo, sparse.negative_elbo_start);
  EXPECT_NEAR(SparsePosterior(e, problem.X, problem.y, sparse.Z, sparse.theta).nlml(), sparse.negative_elbo, 1e-12);
}

TEST(Svgp, FollowsItsSettings) {
  const Problem problem = NoisyWave(31, 10);
  const Expression e = ParseKernel("MAT52", {"x"});
  SvgpOptions options;
  options.max_steps = 7;
  int calls = 0;
  options.progress = [&](int done, int of) {
    ++calls;
    EXPECT_LE(done, of);
    EXPECT_EQ(of, 7);
  };
  const SvgpResult result = FitSvgp(e, problem.X, problem.y, options);
  ASSERT_TRUE(result.ok);
  EXPECT_EQ(result.Z.rows(), 15);
  EXPECT_EQ(result.steps, 7);
  EXPECT_GE(calls, 7);
  EXPECT_EQ(ResolveInducing(0, 1), 1);
  EXPECT_EQ(ResolveInducing(9, 5), 5);
  options.progress = nullptr;
  options.seed = 1;
  EXPECT_NE(FitSvgp(e, problem.X, problem.y, options).Z, result.Z);
}

TEST(Svgp, TakesEqualRowsOnlyOnce) {
  Problem problem = NoisyWave(20, 11);
  for (Index i = 10; i < 20; ++i) problem.X(i, 0) = problem.X(i - 10, 0);
  SvgpOptions options;
  options.inducing = 20;
  options.max_steps = 3;
  const SvgpResult result = FitSvgp(ParseKernel("SE", {"x"}), problem.X, problem.y, options);
  ASSERT_TRUE(result.ok);
  EXPECT_EQ(result.Z.rows(), 10);
}

TEST(Svgp, EveryExpressionOfTheLanguageCanBeFitted) {
  RandomStream random(12);
  for (int k = 0; k < 15; ++k) {
    const int d = 1 + k % 3;
    const Expression e = Canonical(testing::RandomExpression(random, d, 3));
    const Matrix X = testing::UniformMatrix(random, 15, d);
    const Vector y = testing::NormalVector(random, 15);
    SvgpOptions options;
    options.max_steps = 40;
    const SvgpResult result = FitSvgp(e, X, y, options);
    ASSERT_TRUE(result.ok) << result.message;
    EXPECT_LE(result.negative_elbo, result.negative_elbo_start);
  }
}

TEST(Svgp, AStopRequestEndsIt) {
  const Problem problem = NoisyWave(30, 13);
  std::stop_source source;
  source.request_stop();
  SvgpOptions options;
  options.stop = source.get_token();
  EXPECT_EQ(FitSvgp(ParseKernel("SE", {"x"}), problem.X, problem.y, options).reason, StopReason::kInterrupted);
}

}  // namespace
}  // namespace instantgp

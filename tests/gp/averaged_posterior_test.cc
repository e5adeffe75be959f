#include "instantgp/gp/averaged_posterior.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "instantgp/base/normal.h"
#include "instantgp/base/rng.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/kernel/parameters.h"
#include "tests/support/random_kernels.h"

namespace instantgp {
namespace {

struct AveragedProblem {
  Expression expression;
  Matrix X, X_new, draws;
  Vector y;
  LogParameters theta;

  Posterior At(const Vector& parameters) const { return {expression, X, y, LogParameters(parameters)}; }
  AveragedPosterior Averaged(ThreadPool* pool = nullptr) const { return {At(theta), draws, pool}; }
};

AveragedProblem MakeAveraged(std::uint64_t seed, int n, int m, int count) {
  RandomStream random(seed);
  const Expression e = ToExpression(testing::RandomStructure(random, 1 + static_cast<int>(seed % 4)));
  const int d = ColumnsOf(e).back() + 1;
  AveragedProblem p{e, Matrix(n, d), Matrix(m, d), {}, Vector(n), DrawFromPrior(ParameterTable(e), random)};
  for (Index k = 0; k < p.X.size(); ++k) p.X.data()[k] = random.Uniform();
  for (Index k = 0; k < p.X_new.size(); ++k) p.X_new.data()[k] = random.Uniform(-0.2, 1.2);
  for (Index k = 0; k < n; ++k) p.y[k] = random.Normal();
  p.theta.noise() = std::log(random.Uniform(0.01, 0.2));
  p.draws = p.theta.replicate(1, count);
  for (Index k = 0; k < p.draws.size(); ++k) p.draws.data()[k] += 0.5 * random.Normal();
  return p;
}

// The formulas of the header over separate posteriors, everything kept.
TEST(AveragedPosterior, MomentsAreThoseOfSeparatePosteriors) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const int count = 1 + static_cast<int>(seed % 5);
    const AveragedProblem p = MakeAveraged(seed, 14, 6, count);
    const AveragedPosterior averaged = p.Averaged();
    ASSERT_EQ(averaged.members().size(), static_cast<std::size_t>(count));
    EXPECT_EQ(averaged.Draws(), p.draws);
    for (const Noise noise : {Noise::kLatent, Noise::kObserved}) {
      Matrix means(6, count), variances(6, count), second = Matrix::Zero(6, 6);
      for (int k = 0; k < count; ++k) {
        const Posterior own = p.At(p.draws.col(k));
        Vector mean, std;
        own.MeanAndStd(p.X_new, noise, &mean, &std);
        means.col(k) = mean;
        variances.col(k) = std.cwiseAbs2();
        second += (own.Cov(p.X_new, noise) + mean * mean.transpose()) / count;
      }
      const Vector mean = means.rowwise().mean();
      const Vector variance = (variances + means.cwiseAbs2()).rowwise().mean() - mean.cwiseAbs2();
      const double scale = 1 + second.cwiseAbs().maxCoeff();
      Vector m, s, s_alone;
      averaged.MeanAndStd(p.X_new, noise, &m, &s);
      averaged.MeanAndStd(p.X_new, noise, nullptr, &s_alone);
      EXPECT_LT((m - mean).cwiseAbs().maxCoeff(), 1e-12 * scale);
      EXPECT_LT((s.cwiseAbs2() - variance).cwiseAbs().maxCoeff(), 1e-12 * scale);
      EXPECT_EQ(s, s_alone);
      EXPECT_EQ(averaged.Mean(p.X_new), m);
      const Matrix cov = averaged.Cov(p.X_new, noise);
      EXPECT_LT((cov - (second - mean * mean.transpose())).cwiseAbs().maxCoeff(), 1e-12 * scale);
      EXPECT_EQ(cov, cov.transpose());
    }
  }
}

TEST(AveragedPosterior, EqualDrawsChangeNoDigit) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    AveragedProblem p = MakeAveraged(seed, 12, 5, 16);
    p.draws = p.theta.replicate(1, 16);
    const AveragedPosterior averaged = p.Averaged();
    const Posterior plain = p.At(p.theta);
    Vector mean, std, plain_mean, plain_std;
    averaged.MeanAndStd(p.X_new, Noise::kObserved, &mean, &std);
    plain.MeanAndStd(p.X_new, Noise::kObserved, &plain_mean, &plain_std);
    EXPECT_EQ(mean, plain_mean);
    EXPECT_EQ(std, plain_std);
    EXPECT_EQ(averaged.Cov(p.X_new, Noise::kLatent), plain.Cov(p.X_new, Noise::kLatent));
    EXPECT_EQ(averaged.Samples(p.X_new, Noise::kObserved, 20, 3), plain.Samples(p.X_new, Noise::kObserved, 20, 3));
    EXPECT_EQ(averaged.Loo().mean, plain.Loo().mean);
    EXPECT_NEAR(averaged.Loo().nll, plain.Loo().nll, 1e-12);
  }
}

TEST(AveragedPosterior, ReportsTheCentreAndAveragesLeaveOneOut) {
  const AveragedProblem p = MakeAveraged(3, 15, 4, 3);
  const AveragedPosterior averaged = p.Averaged();
  const Posterior centre = p.At(p.theta);
  EXPECT_EQ(averaged.theta(), p.theta);
  EXPECT_EQ(averaged.nlml(), centre.nlml());
  EXPECT_EQ(averaged.noise_variance(), centre.noise_variance());
  EXPECT_EQ(averaged.y(), p.y);
  Matrix means(15, 3), second(15, 3);
  for (int k = 0; k < 3; ++k) {
    const LeaveOneOut own = p.At(p.draws.col(k)).Loo();
    means.col(k) = own.mean;
    second.col(k) = own.variance + own.mean.cwiseAbs2();
  }
  const LeaveOneOut loo = averaged.Loo();
  const Vector mean = means.rowwise().mean(), variance = second.rowwise().mean() - mean.cwiseAbs2();
  EXPECT_LT((loo.mean - mean).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((loo.variance - variance).cwiseAbs().maxCoeff(), 1e-10);
  double nll = 0;
  for (Index i = 0; i < 15; ++i) nll -= LogNormalDensity(p.y[i], mean[i], std::sqrt(variance[i])) / 15;
  EXPECT_NEAR(loo.nll, nll, 1e-9);
}

TEST(AveragedPosterior, DrawsWithoutAFactorAreLeftOut) {
  AveragedProblem p = MakeAveraged(1, 10, 4, 3);
  const Vector kept = p.draws.col(2);
  p.draws.leftCols(2).setConstant(1e4);  // exp overflows
  const AveragedPosterior averaged = p.Averaged();
  ASSERT_EQ(averaged.members().size(), 1U);
  EXPECT_EQ(averaged.Mean(p.X_new), p.At(kept).Mean(p.X_new));
  p.draws.setConstant(std::numeric_limits<double>::quiet_NaN());
  const AveragedPosterior none = p.Averaged();
  EXPECT_TRUE(none.members().empty());
  const Posterior centre = p.At(p.theta);
  EXPECT_EQ(none.Mean(p.X_new), centre.Mean(p.X_new));
  EXPECT_EQ(none.Cov(p.X_new, Noise::kObserved), centre.Cov(p.X_new, Noise::kObserved));
  EXPECT_EQ(none.Samples(p.X_new, Noise::kLatent, 2, 1), centre.Samples(p.X_new, Noise::kLatent, 2, 1));
  EXPECT_EQ(none.Loo().mean, centre.Loo().mean);
}

TEST(AveragedPosterior, SamplesHaveItsMoments) {
  const AveragedProblem p = MakeAveraged(5, 8, 3, 4);
  const AveragedPosterior averaged = p.Averaged();
  const int count = 40000;
  for (const Noise noise : {Noise::kLatent, Noise::kObserved}) {
    const Matrix samples = averaged.Samples(p.X_new, noise, count, 7);
    const Matrix cov = averaged.Cov(p.X_new, noise);
    const Vector average = samples.rowwise().mean();
    const Matrix centred = samples.colwise() - average;
    EXPECT_LT((average - averaged.Mean(p.X_new)).cwiseAbs().maxCoeff(),
              5 * std::sqrt(cov.diagonal().maxCoeff() / count));
    EXPECT_LT((centred * centred.transpose() / count - cov).cwiseAbs().maxCoeff(), 0.05 * cov.diagonal().maxCoeff());
    EXPECT_EQ(averaged.Samples(p.X_new, noise, 10, 7), samples.leftCols(10));  // whatever the number asked for
  }
}

TEST(AveragedPosterior, ExtendedIsAFitOfAllRows) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const AveragedProblem all = MakeAveraged(seed, 20, 5, 4);
    AveragedProblem first = all;
    first.X = all.X.topRows(13);
    first.y = all.y.head(13);
    const AveragedPosterior extended = first.Averaged().Extended(all.X.bottomRows(7), all.y.tail(7));
    const AveragedPosterior fresh = all.Averaged();
    Vector mean, std, fresh_mean, fresh_std;
    extended.MeanAndStd(all.X_new, Noise::kObserved, &mean, &std);
    fresh.MeanAndStd(all.X_new, Noise::kObserved, &fresh_mean, &fresh_std);
    EXPECT_LT((mean - fresh_mean).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((std - fresh_std).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_NEAR(extended.nlml(), fresh.nlml(), 1e-10);
    EXPECT_EQ(extended.Draws(), all.draws);
  }
}

TEST(AveragedPosterior, ThreadsDoNotChangeTheBits) {
  const AveragedProblem p = MakeAveraged(2, 40, 9, 7);
  ThreadPool four(4);
  const AveragedPosterior one = p.Averaged(), many = p.Averaged(&four);
  Vector mean, std, many_mean, many_std;
  one.MeanAndStd(p.X_new, Noise::kObserved, &mean, &std);
  many.MeanAndStd(p.X_new, Noise::kObserved, &many_mean, &many_std);
  EXPECT_EQ(mean, many_mean);
  EXPECT_EQ(std, many_std);
  EXPECT_EQ(one.Extended(p.X_new, mean).Mean(p.X), many.Extended(p.X_new, mean, &four).Mean(p.X));
}

}  // namespace
}  // namespace instantgp

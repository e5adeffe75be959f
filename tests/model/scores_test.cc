// Scores against closed forms and numerical integration; statistics against numbers of numpy 1.24 and SciPy 1.10
// (numpy.quantile, scipy.stats.ttest_ind).
#include "instantgp/model/scores.h"

#include <gtest/gtest.h>

#include <cmath>

#include "instantgp/base/normal.h"
#include "instantgp/base/rng.h"
#include "instantgp/experiments/report/statistics.h"

namespace instantgp {
namespace {

struct NaiveMixture {
  Vector means, stds, weights;
  double Cdf(double t) const {
    double sum = 0;
    for (Index k = 0; k < means.size(); ++k) {
      sum += weights[k] * 0.5 * std::erfc(-(t - means[k]) / stds[k] / std::sqrt(2.0));
    }
    return sum;
  }
  double Density(double t) const {
    double sum = 0;
    for (Index k = 0; k < means.size(); ++k) {
      const double z = (t - means[k]) / stds[k];
      sum += weights[k] * std::exp(-0.5 * z * z) / stds[k] / std::sqrt(2 * std::acos(-1.0));
    }
    return sum;
  }
  // integral of (F(t) - [t >= y])^2 by Simpson's rule on both sides of the jump
  double Crps(double y) const {
    const double reach = 12 * stds.maxCoeff() + means.cwiseAbs().maxCoeff() + std::abs(y);
    const auto simpson = [&](double from, double to, double step_value) {
      constexpr int kSteps = 20000;
      const double h = (to - from) / kSteps;
      double sum = 0;
      for (int i = 0; i <= kSteps; ++i) {
        const double f = Cdf(from + i * h) - step_value;
        sum += f * f * (i == 0 || i == kSteps ? 1 : i % 2 == 1 ? 4 : 2);
      }
      return sum * h / 3;
    };
    return simpson(-reach, y, 0) + simpson(y, reach, 1);
  }
};

NaiveMixture RandomMixture(RandomStream& random, Index K) {
  NaiveMixture mixture{Vector(K), Vector(K), Vector(K)};
  for (Index k = 0; k < K; ++k) {
    mixture.means[k] = random.Normal();
    mixture.stds[k] = random.Uniform(0.1, 2);
    mixture.weights[k] = random.Uniform();
  }
  mixture.weights /= mixture.weights.sum();
  return mixture;
}

TEST(Metrics, CrpsAgreesWithNumericalIntegration) {
  RandomStream random(1);
  for (int trial = 0; trial < 12; ++trial) {
    const double y = 3 * random.Normal();
    const NaiveMixture one = RandomMixture(random, 1), three = RandomMixture(random, 3);
    EXPECT_NEAR(GaussianCrps(y, one.means[0], one.stds[0]), one.Crps(y), 1e-9);
    EXPECT_NEAR(MixtureCrps(y, one.means, one.stds, one.weights), one.Crps(y), 1e-9);
    EXPECT_NEAR(MixtureCrps(y, three.means, three.stds, three.weights), three.Crps(y), 1e-9);
  }
  // at the centre: s (sqrt(2) - 1) / sqrt(pi)
  EXPECT_NEAR(GaussianCrps(2, 2, 3), 3 * (std::sqrt(2.0) - 1) / std::sqrt(std::acos(-1.0)), 1e-15);
}

TEST(Metrics, GaussianScoresHaveTheirClosedForms) {
  const Vector y = (Vector(2) << 0.7, -1.0).finished(), mean = (Vector(2) << 0.2, 2.0).finished();
  const Vector std = (Vector(2) << 1.3, 0.5).finished();
  const PredictiveScores scores = ScoreGaussian(y, mean, std);
  EXPECT_NEAR(scores.rmse, std::sqrt((0.25 + 9) / 2), 1e-15);
  // -scipy.stats.norm.logpdf(0.7, 0.2, 1.3) = 1.255267294713584; the second is six deviations away
  const double second = 18 + std::log(0.5) + 0.5 * std::log(2 * std::acos(-1.0));
  EXPECT_NEAR(scores.nll, (1.255267294713584 + second) / 2, 1e-14);
  EXPECT_EQ(scores.coverage50, 0.5);
  EXPECT_EQ(scores.coverage95, 0.5);
  EXPECT_NEAR(scores.crps, (GaussianCrps(0.7, 0.2, 1.3) + GaussianCrps(-1, 2, 0.5)) / 2, 1e-15);
}

TEST(Metrics, CoverageCountsExactlyTheCentralInterval) {
  for (const double p : {0.50, 0.90, 0.95}) {
    const double z = NormalQuantile(0.5 + p / 2);
    Vector y(4), mean = Vector::Constant(4, 1.0), std = Vector::Constant(4, 2.0);
    y << 1 + 2 * (z - 1e-9), 1 - 2 * (z - 1e-9), 1 + 2 * (z + 1e-9), 1 - 2 * (z + 1e-9);
    const PredictiveScores scores = ScoreGaussian(y, mean, std);
    EXPECT_EQ(p == 0.50 ? scores.coverage50 : p == 0.90 ? scores.coverage90 : scores.coverage95, 0.5) << p;
  }
}

// Targets drawn from the predictions themselves: coverages are what they say, and the mixture's density is the mean.
TEST(Metrics, AMixtureIsCalibratedOnItsOwnDraws) {
  RandomStream random(2);
  const Index m = 20000;
  Vector y(m);
  Matrix means(m, 3), stds(m, 3);
  const NaiveMixture mixture = RandomMixture(random, 3);
  double nll = 0;
  for (Index i = 0; i < m; ++i) {
    const double u = random.Uniform();
    const Index k = u < mixture.weights[0] ? 0 : u < mixture.weights[0] + mixture.weights[1] ? 1 : 2;
    y[i] = mixture.means[k] + mixture.stds[k] * random.Normal();
    means.row(i) = mixture.means.transpose();
    stds.row(i) = mixture.stds.transpose();
    nll -= std::log(mixture.Density(y[i])) / static_cast<double>(m);
  }
  const PredictiveScores scores = ScoreMixture(y, {mixture.weights, means, stds});
  EXPECT_NEAR(scores.nll, nll, 1e-10);
  EXPECT_NEAR(scores.coverage50, 0.50, 0.02);
  EXPECT_NEAR(scores.coverage90, 0.90, 0.015);
  EXPECT_NEAR(scores.coverage95, 0.95, 0.01);
  const PredictiveScores single = ScoreMixture(y, {Vector::Ones(1), means.leftCols(1), stds.leftCols(1)});
  const PredictiveScores gaussian = ScoreGaussian(y, means.col(0), stds.col(0));
  EXPECT_NEAR(single.nll, gaussian.nll, 1e-12);
  EXPECT_NEAR(single.crps, gaussian.crps, 1e-12);
  EXPECT_NEAR(single.rmse, gaussian.rmse, 1e-12);
}

TEST(Metrics, AMixtureFarFromItsTargetHasAFiniteNll) {
  const Vector y = Vector::Constant(1, 1000.0);
  const PredictiveScores scores = ScoreMixture(y, {Vector::Constant(2, 0.5), Matrix::Zero(1, 2), Matrix::Ones(1, 2)});
  EXPECT_NEAR(scores.nll, 500000 + 0.5 * std::log(2 * std::acos(-1.0)), 1e-6);
}

TEST(Statistics, TTestAgreesWithSciPy) {
  struct Case {
    std::vector<double> a, b;
    double t, p, p_less;
  };
  const std::vector<Case> cases = {{{0.31, 0.29, 0.35, 0.30, 0.33},
                                    {0.36, 0.34, 0.31, 0.39, 0.41, 0.37},
                                    -2.520930730810496,
                                    0.03271864602582134,
                                    0.01635932301291067},
                                   {{0.36, 0.34, 0.31, 0.39, 0.41, 0.37},
                                    {0.31, 0.29, 0.35, 0.30, 0.33},
                                    2.520930730810496,
                                    0.03271864602582134,
                                    0.9836406769870893},
                                   {{1, 2}, {1.5, 2.5, 9}, -0.9265073348787685, 0.422520753763846, 0.211260376881923},
                                   {{0.0606, 0.0602, 0.061, 0.0599},
                                    {0.0601, 0.0603, 0.0598, 0.0605},
                                    0.8861942869010886,
                                    0.4096227765949148,
                                    0.7951886117025426}};
  for (const Case& c : cases) {
    const TTest test = TwoSampleTTest(c.a, c.b);
    EXPECT_NEAR(test.t, c.t, 1e-11);
    EXPECT_NEAR(test.p_two_sided, c.p, 1e-12);
    EXPECT_NEAR(test.p_smaller, c.p_less, 1e-12);
    EXPECT_EQ(test.degrees_of_freedom, static_cast<double>(c.a.size() + c.b.size()) - 2);
  }
  EXPECT_EQ(TwoSampleTTest({1, 1}, {1, 1}).p_two_sided, 1);
  EXPECT_EQ(TwoSampleTTest({1, 1}, {2, 2}).p_smaller, 0);
}

TEST(Statistics, QuantilesAreNumpys) {
  const std::vector<double> values = {3, 1, 2, 10, 7};
  EXPECT_EQ(Quantile(values, 0), 1);
  EXPECT_NEAR(Quantile(values, 0.2), 1.8, 1e-15);
  EXPECT_EQ(Median(values), 3);
  EXPECT_NEAR(Quantile(values, 0.8), 7.6, 1e-14);
  EXPECT_EQ(Quantile(values, 1), 10);
  EXPECT_EQ(Median({5}), 5);
  EXPECT_TRUE(std::isnan(Median({})));
  EXPECT_NEAR(StandardDeviation({1, 2, 3, 4}), std::sqrt(5.0 / 3), 1e-15);
}

}  // namespace
}  // namespace instantgp

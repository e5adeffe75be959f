#include "instantgp/model/mixture.h"

#include <gtest/gtest.h>

#include <cmath>

#include "instantgp/base/normal.h"
#include "instantgp/base/rng.h"
#include "instantgp/model/ensemble.h"
#include "instantgp/model/weighting.h"

namespace instantgp {
namespace {

struct Case {
  Vector weights;
  Matrix means, stds;
};

// Components of very different place, width and weight.
Case Draw(std::uint64_t k) {
  RandomStream random(5, k);
  const int components = random.UniformInt(1, 12), rows = 7;
  Case c{Vector(components), Matrix(rows, components), Matrix(rows, components)};
  for (int j = 0; j < components; ++j) c.weights[j] = std::exp(random.Uniform(-20, 0));
  c.weights /= c.weights.sum();
  for (Index i = 0; i < c.means.size(); ++i) {
    c.means.data()[i] = random.Normal() * std::exp(random.Uniform(-3, 5));
    c.stds.data()[i] = std::exp(random.Uniform(-6, 3));
  }
  return c;
}

TEST(Mixture, MomentsAreThoseOfTheDensity) {
  for (std::uint64_t k = 0; k < 20; ++k) {
    const Case c = Draw(k);
    const Mixture mixture(c.weights, c.means, c.stds);
    // A sum over each component's own fine grid is the integral to rounding.
    for (Index i = 0; i < mixture.rows(); ++i) {
      double mass = 0, first = 0, second = 0;
      for (Index j = 0; j < c.weights.size(); ++j) {
        for (int t = -120; t <= 120; ++t) {
          const double z = t / 10.0, p = c.weights[j] * std::exp(-0.5 * z * z) / std::sqrt(2 * M_PI) / 10;
          const double y = c.means(i, j) + z * c.stds(i, j);
          mass += p;
          first += p * y;
          second += p * (y - mixture.Mean()[i]) * (y - mixture.Mean()[i]);
        }
      }
      EXPECT_NEAR(mass, 1, 1e-12);
      EXPECT_NEAR(mixture.Mean()[i], first, 1e-9 * (1 + std::abs(first)));
      EXPECT_NEAR(mixture.Std()[i], std::sqrt(second), 1e-9 * std::sqrt(second));
    }
  }
}

TEST(Mixture, QuantilesInvertTheDistribution) {
  for (std::uint64_t k = 0; k < 40; ++k) {
    const Case c = Draw(k);
    const Mixture mixture(c.weights, c.means, c.stds);
    Vector previous = Vector::Constant(mixture.rows(), -INFINITY);
    for (const double p : {1e-9, 1e-3, 0.025, 0.3, 0.5, 0.7, 0.975, 0.999}) {
      const Vector q = mixture.Quantile(p), back = mixture.Cdf(q);
      for (Index i = 0; i < q.size(); ++i) {
        // Steep components turn the last bit of q into more than a bit of the probability.
        const double slope = std::exp(mixture.LogDensity(q)[i]);
        EXPECT_NEAR(back[i], p, 1e-12 + 1e-9 * p + slope * 1e-10) << k << " " << p;
        EXPECT_GE(q[i], previous[i]);
      }
      previous = q;
    }
  }
}

TEST(Mixture, OneComponentIsTheNormalDistribution) {
  const Mixture one(Vector::Constant(1, 1.0), Matrix::Constant(2, 1, 3.5), Matrix::Constant(2, 1, 0.25));
  EXPECT_EQ(one.Mean()[0], 3.5);
  EXPECT_EQ(one.Std()[0], 0.25);
  for (const double p : {0.025, 0.5, 0.9, 0.975}) {
    EXPECT_NEAR(one.Quantile(p)[1], 3.5 + 0.25 * NormalQuantile(p), 1e-13);
  }
  EXPECT_NEAR(one.LogDensity(Vector::Constant(2, 4.0))[0], -2 - std::log(0.25) - 0.5 * std::log(2 * M_PI), 1e-13);
}

TEST(Mixture, KeepsItsHeadWhereDensitiesUnderflowAndSquaresOverflow) {
  const Vector weights = Vector::Constant(2, 0.5);
  const Matrix means = (Matrix(1, 2) << -1e300, 1e300).finished(), stds = Matrix::Constant(1, 2, 1e299);
  const Mixture wide(weights, means, stds);
  EXPECT_NEAR(wide.Std()[0] / 1e300, std::sqrt(1.01), 1e-12);
  EXPECT_TRUE(std::isfinite(wide.Quantile(0.975)[0]));
  const Mixture narrow(weights, (Matrix(1, 2) << 0, 1).finished(), Matrix::Constant(1, 2, 1e-3));
  EXPECT_NEAR(narrow.LogDensity(Vector::Constant(1, 2.0))[0],
              std::log(0.5) - 0.5e6 - std::log(1e-3) - 0.5 * std::log(2 * M_PI), 1e-6);
  // Point masses: the step is found.
  const Mixture points(weights, (Matrix(1, 2) << 0, 1).finished(), Matrix::Zero(1, 2));
  EXPECT_NEAR(points.Quantile(0.25)[0], 0, 1e-12);
  EXPECT_NEAR(points.Quantile(0.75)[0], 1, 1e-12);
}

TEST(Weighting, SoftmaxSumsToOneWhateverTheDifferences) {
  const Vector w = SoftmaxWeights((Vector(4) << -1e5, 0, -3, -1e9).finished());
  EXPECT_NEAR(w.sum(), 1, 1e-15);
  EXPECT_NEAR(w[2] / w[1], std::exp(-3.0), 1e-15);
  EXPECT_EQ(w[0], 0);
  const Vector shifted = SoftmaxWeights((Vector(2) << 1e5, 1e5 - 1).finished());
  EXPECT_NEAR(shifted[1] / shifted[0], std::exp(-1.0), 1e-12);
  for (const Weighting weighting : {Weighting::kBma, Weighting::kTempered, Weighting::kLoo, Weighting::kUniform}) {
    EXPECT_EQ(WeightingFromName(Name(weighting)), weighting);
  }
}

double MeanLogMixture(const Matrix& log_density, const Vector& w) {
  return (log_density.array().exp().matrix() * w).array().log().mean();
}

TEST(Weighting, StackingIsTheBestPointOfTheSimplex) {
  for (std::uint64_t k = 0; k < 10; ++k) {
    RandomStream random(8, k);
    Matrix log_density(50, 4);
    for (Index i = 0; i < log_density.size(); ++i) log_density.data()[i] = random.Normal();
    const Stacking stacking = StackingWeights(log_density);
    EXPECT_NEAR(stacking.weights.sum(), 1, 1e-12);
    EXPECT_GE(stacking.weights.minCoeff(), 0);
    EXPECT_LE(stacking.gap, 1e-5);
    const double best = MeanLogMixture(log_density, stacking.weights);
    for (int trial = 0; trial < 300; ++trial) {
      Vector other(4);
      for (int j = 0; j < 4; ++j) other[j] = random.Exponential(1);
      other /= other.sum();
      EXPECT_LE(MeanLogMixture(log_density, other), best + stacking.gap);
    }
    for (int j = 0; j < 4; ++j) EXPECT_LE(MeanLogMixture(log_density, Vector::Unit(4, j)), best + stacking.gap);
    // A constant added to a row changes nothing, however large.
    Matrix shifted = log_density;
    shifted.row(3).array() -= 1e5;
    EXPECT_LT((StackingWeights(shifted).weights - stacking.weights).cwiseAbs().maxCoeff(), 1e-9);
  }
}

}  // namespace
}  // namespace instantgp

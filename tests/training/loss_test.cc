#include "instantgp/training/loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "instantgp/inference/ranking.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/simulate/distribution.h"
#include "tests/support/gradient_check.h"

namespace instantgp {
namespace {

struct Case {
  Simulated data;
  Matrix theta;  // (p + 1, K)
  std::optional<ClosedFormScale> scale;
};

Case MakeCase(std::uint64_t index, int hypotheses) {
  SimulationOptions options;
  options.min_n = 10;
  options.max_n = 30;
  options.max_d = 4;
  Case out;
  out.data = Simulate(options, 42, index);
  RandomStream random(43, index);
  const ParameterTable table(ToExpression(out.data.given));
  out.theta.resize(static_cast<Index>(table.size()) + 1, hypotheses);
  for (int k = 0; k < hypotheses; ++k) out.theta.col(k) = DrawFromPrior(table, random);
  // Noise away from zero keeps the finite differences of the check accurate.
  if (index % 2 == 1) out.scale = ClosedFormScale{};
  out.theta.row(out.theta.rows() - 1).array() = out.theta.row(out.theta.rows() - 1).array().max(std::log(1e-2));
  return out;
}

DatasetLoss Evaluate(const LossConfig& config, const Case& c, const Matrix& theta, Matrix* dtheta,
                     std::uint64_t stream = 0) {
  LossWorkspace workspace;
  RandomStream random(1, stream);
  return EvaluateLoss(config, c.data.given, c.data.X, c.data.y, c.data.theta.noise(), theta, c.scale, random, workspace,
                      dtheta);
}

NlmlValue Value(const Case& c, const LogParameters& theta) {
  NlmlWorkspace workspace;
  return NegativeLogMarginalLikelihood(Covariance(ToExpression(c.data.given)), c.data.X, c.data.y, theta, nullptr,
                                       workspace, c.scale ? &*c.scale : nullptr);
}

double Nlml(const Case& c, const LogParameters& theta) { return Value(c, theta).nlml; }

LossConfig Unclipped(int phase) {
  LossConfig config;
  config.phase = phase;
  config.output_clip = 0;
  return config;
}

TEST(Loss, PhaseOneTakesTheBestHypothesis) {
  for (std::uint64_t index = 0; index < 30; ++index) {
    const Case c = MakeCase(index, 5);
    LossConfig config = Unclipped(1);
    config.other_probability = 0;
    Matrix dtheta;
    const DatasetLoss loss = Evaluate(config, c, c.theta, &dtheta);
    ASSERT_TRUE(loss.ok);
    double best = INFINITY;
    for (int k = 0; k < 5; ++k) best = std::min(best, Nlml(c, c.theta.col(k)));
    EXPECT_DOUBLE_EQ(loss.nlml, best);
    EXPECT_EQ(loss.loss, loss.nlml);
    for (int k = 0; k < 5; ++k) EXPECT_EQ(dtheta.col(k).norm() > 0, k == loss.best);
    NlmlWorkspace workspace;
    const ChosenHypothesis chosen =
        ChooseHypothesis(Covariance(ToExpression(c.data.given)), c.data.X, c.data.y, c.theta, c.scale, workspace);
    EXPECT_EQ(chosen.index, loss.best);
    EXPECT_DOUBLE_EQ(chosen.nlml, best);
  }
}

TEST(Loss, PhaseOneGradientIncludesTheOthersWithTheirWeight) {
  for (std::uint64_t index = 0; index < 20; ++index) {
    const Case c = MakeCase(index, 3);
    LossConfig config = Unclipped(1);
    config.other_probability = 1;
    Matrix dtheta;
    const DatasetLoss loss = Evaluate(config, c, c.theta, &dtheta);
    const auto f = [&](const Vector& flat) {
      const Matrix theta = Eigen::Map<const Matrix>(flat.data(), c.theta.rows(), c.theta.cols());
      double sum = 0;
      for (int k = 0; k < 3; ++k) sum += (k == loss.best ? 1.0 : config.other_weight) * Nlml(c, theta.col(k));
      return sum;
    };
    testing::ExpectGradient(f, c.theta.reshaped(), dtheta.reshaped());
  }
}

// The lowest (hypothesis, times a tenth of its noise) on the way down from each hypothesis; 0 times: as decoded.
struct Lowest {
  int hypothesis = 0, tenths = 0;
};
Lowest LowestOnLadders(const Case& c, int rungs) {
  Lowest lowest;
  double least = INFINITY;
  for (int k = 0; k < c.theta.cols(); ++k) {
    LogParameters theta = c.theta.col(k);
    double before = INFINITY;
    for (int r = 0; r <= rungs; ++r, theta.noise() -= std::log(10.0)) {
      const double value = Nlml(c, theta);
      if (!(value < before)) break;
      before = value;
      if (value < least) {
        least = value;
        lowest = {k, r};
      }
    }
  }
  return lowest;
}

TEST(Loss, HypothesesWithTooMuchNoiseLearnFromTheRungBelow) {
  int below = 0, of_another = 0;
  for (std::uint64_t index = 0; index < 40; ++index) {
    Case c = MakeCase(index, 3);
    c.theta.row(c.theta.rows() - 1).array() += 3;
    LossConfig config = Unclipped(1);
    config.other_probability = 0;
    config.noise_rungs = 2;
    config.rung_weight = 0.3;
    Matrix dtheta;
    const DatasetLoss loss = Evaluate(config, c, c.theta, &dtheta);
    const Lowest lowest = LowestOnLadders(c, config.noise_rungs);
    below += lowest.tenths > 0;
    of_another += lowest.hypothesis != loss.best;
    const auto f = [&](const Vector& flat) {
      const Matrix theta = Eigen::Map<const Matrix>(flat.data(), c.theta.rows(), c.theta.cols());
      const double as_decoded = Nlml(c, theta.col(loss.best));
      if (lowest.tenths == 0) return as_decoded;
      LogParameters low = theta.col(lowest.hypothesis);
      low.noise() -= lowest.tenths * std::log(10.0);
      return (1 - config.rung_weight) * as_decoded + config.rung_weight * Nlml(c, low);
    };
    EXPECT_EQ(loss.loss, Nlml(c, c.theta.col(loss.best))) << "the loss itself is that of the noise as decoded";
    testing::ExpectGradient(f, c.theta.reshaped(), dtheta.reshaped());
  }
  EXPECT_GT(below, 10);
  EXPECT_LT(below, 40);
  EXPECT_GT(of_another, 0);
}

TEST(Loss, OthersJoinWithTheirProbability) {
  LossConfig config = Unclipped(1);
  const Case c = MakeCase(3, 4);
  int joined = 0;
  constexpr int kTrials = 1000;
  for (int trial = 0; trial < kTrials; ++trial) {
    Matrix dtheta;
    const DatasetLoss loss = Evaluate(config, c, c.theta, &dtheta, trial);
    for (int k = 0; k < 4; ++k) joined += k != loss.best && dtheta.col(k).norm() > 0;
  }
  EXPECT_NEAR(joined, 3 * kTrials * config.other_probability, 80);  // four standard deviations
}

TEST(Loss, PhaseTwoAddsTheNoiseError) {
  for (std::uint64_t index = 0; index < 20; ++index) {
    for (const int hypotheses : {1, 3}) {
      const Case c = MakeCase(index, hypotheses);
      const LossConfig config = Unclipped(2);
      Matrix dtheta;
      const DatasetLoss loss = Evaluate(config, c, c.theta, &dtheta);
      const auto f = [&](const LogParameters& theta) {
        const NlmlValue value = Value(c, theta);
        const double error = std::exp(0.5 * (theta.noise() + value.log_scale)) - std::exp(0.5 * c.data.theta.noise());
        return config.nlml_weight * value.nlml + config.noise_weight * error * error;
      };
      const Vector best = c.theta.col(loss.best);
      EXPECT_DOUBLE_EQ(loss.loss, f(best));
      testing::ExpectGradient(f, best, dtheta.col(loss.best));
      for (int k = 0; k < hypotheses; ++k) {
        EXPECT_EQ(dtheta.col(k).norm() > 0, k == loss.best);
      }
    }
  }
}

TEST(Loss, ClipsTheGradientOfADatasetWithoutTurningIt) {
  int clipped = 0;
  for (std::uint64_t index = 0; index < 40; ++index) {
    const Case c = MakeCase(index, 1);
    Matrix free, bound;
    Evaluate(Unclipped(1), c, c.theta, &free);
    LossConfig config;
    const DatasetLoss loss = Evaluate(config, c, c.theta, &bound);
    EXPECT_EQ(loss.clipped, free.norm() > 1);
    clipped += loss.clipped;
    EXPECT_NEAR(bound.norm(), std::min(1.0, free.norm()), 1e-12);
    EXPECT_LE((bound.normalized() - free.normalized()).norm(), 1e-12);
  }
  EXPECT_GT(clipped, 0);
  EXPECT_LT(clipped, 40);
}

TEST(Loss, AHypothesisThatCannotBeFactorisedIsPassedOver) {
  Case c = MakeCase(5, 3);
  Matrix dtheta;
  const int best = Evaluate(Unclipped(1), c, c.theta, &dtheta).best;
  c.theta(0, best) = std::nan("");
  LossConfig config = Unclipped(1);
  config.other_probability = 1;
  const DatasetLoss loss = Evaluate(config, c, c.theta, &dtheta);
  EXPECT_TRUE(loss.ok);
  EXPECT_NE(loss.best, best);
  EXPECT_TRUE(dtheta.allFinite());
  EXPECT_EQ(dtheta.col(best).norm(), 0);
}

TEST(Loss, ADatasetWithoutAnyFactorisationIsSkipped) {
  for (const int phase : {1, 2}) {
    for (const int hypotheses : {1, 4}) {
      Case c = MakeCase(5, hypotheses);
      c.theta.setConstant(std::nan(""));
      Matrix dtheta;
      EXPECT_FALSE(Evaluate(Unclipped(phase), c, c.theta, &dtheta).ok);
      EXPECT_EQ(dtheta.norm(), 0);
    }
  }
}

}  // namespace
}  // namespace instantgp

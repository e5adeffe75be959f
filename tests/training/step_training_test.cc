#include "instantgp/training/step_training.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <vector>

#include "instantgp/gp/posterior.h"
#include "instantgp/inference/type2_ml.h"
#include "instantgp/inference/type2_objective.h"
#include "instantgp/optimize/second_order.h"
#include "instantgp/simulate/distribution.h"
#include "tests/support/gradient_check.h"

namespace instantgp {
namespace {

Simulated WithHeldOutRows(std::uint64_t index, int n, int d) {
  SimulationOptions options;
  options.n = n;
  options.d = d;
  options.n_test = 20;
  options.positives_only = true;
  return Simulate(options, 23, index);
}

// Four pseudo rows hold the scale where it was: it takes many turns to its best.
LogParameters AtBestScale(const Covariance& covariance, const Simulated& s, LogParameters theta, int turns) {
  const LogParameters direction = ScaleDirection(covariance.expression());
  const ClosedFormScale scale;
  NlmlWorkspace workspace;
  for (int i = 0; i < turns; ++i) {
    theta +=
        NegativeLogMarginalLikelihood(covariance, s.X, s.y, theta, nullptr, workspace, &scale).log_scale * direction;
  }
  return theta;
}

TEST(StepTraining, TheLossIsTheDensityOfHeldOutRows) {
  const Simulated s = WithHeldOutRows(1, 30, 2);
  const Covariance covariance(ToExpression(s.given));
  const Posterior posterior(covariance.expression(), s.X, s.y, s.theta);
  Vector mean, std;
  posterior.MeanAndStd(s.X_test, Noise::kObserved, &mean, &std);
  const auto z = (s.y_test - mean).array() / std.array();
  const double expected = (0.5 * z.square() + std.array().log()).mean() + 0.5 * std::log(2 * M_PI);
  EXPECT_NEAR(HeldOutLoss(covariance, s.X, s.y, s.X_test, s.y_test, s.theta, nullptr), expected, 1e-8);
}

// Every kernel of the family: the slope is that of the loss where kernel and noise follow theta to their best scale.
TEST(StepTraining, TheSlopeOfTheLoss) {
  for (std::uint64_t k = 0; k < 25; ++k) {
    const Simulated s = WithHeldOutRows(k, 15, 1 + static_cast<int>(k) % 3);
    const Covariance covariance(ToExpression(s.given));
    const LogParameters direction = ScaleDirection(covariance.expression());
    LogParameters theta = s.theta;
    theta.noise() = std::max(theta.noise(), std::log(0.05));
    theta = AtBestScale(covariance, s, theta, 200);
    Vector slope;
    HeldOutLoss(covariance, s.X, s.y, s.X_test, s.y_test, theta, &slope);
    const Vector unit = direction.normalized();
    const auto f = [&](const Vector& moved) {
      Vector way = moved - theta;
      way -= unit.dot(way) * unit;
      return HeldOutLoss(covariance, s.X, s.y, s.X_test, s.y_test, AtBestScale(covariance, s, theta + way, 1), nullptr);
    };
    testing::ExpectGradient(f, theta, slope, 1e-4);
  }
}

// dL/d centre and dL/d log p by the formulas of the header, against minimising anew under a changed pull.
TEST(StepTraining, SlopesByThePullAreThoseOfTheMinimum) {
  std::vector<double> cosines;
  for (std::uint64_t k = 0; k < 12; ++k) {
    const Simulated s = WithHeldOutRows(k, 60, 1);
    const Covariance covariance(ToExpression(s.given));
    const ParameterTable table(covariance.expression());
    const Vector unit = ScaleDirection(covariance.expression()).normalized();
    const auto minimum = [&](const Pull& pull) {
      Type2Objective objective(covariance, table, s.X, s.y, false, nullptr);
      objective.PullTowards(pull);
      SecondOrderOptions options{.reach = objective.StepReach(), .max_steps = 300};
      options.worth = 1e-14;
      OptimizeSummary end = MinimizeSecondOrder(objective, s.theta, options);
      end.x = AtBestScale(covariance, s, end.x, 100);
      return end;
    };
    // A strong pull, so that the average information, which is not the Hessian, is a small part of the curvature.
    Pull pull = PullToStart(s.theta, 60);
    pull.freedom = 0;
    pull.precision *= 2000;
    pull.centre[0] += 0.3;
    const OptimizeSummary end = minimum(pull);
    Vector v;
    const double loss = HeldOutLoss(covariance, s.X, s.y, s.X_test, s.y_test, end.x, &v);
    if (!std::isfinite(loss)) continue;
    Matrix M = 60 * end.curvature;
    M += unit * unit.transpose();
    Vector u = M.ldlt().solve(v);
    u -= unit.dot(u) * unit;
    const Vector by_centre = pull.precision.cwiseProduct(u);
    Vector projected = by_centre - unit.dot(by_centre) * unit;
    const double h = 1e-2;
    Vector numeric(s.theta.size());
    for (Index i = 0; i < numeric.size(); ++i) {
      Pull up = pull, down = pull;
      up.centre[i] += h;
      down.centre[i] -= h;
      numeric[i] = (HeldOutLoss(covariance, s.X, s.y, s.X_test, s.y_test, minimum(up).x, nullptr) -
                    HeldOutLoss(covariance, s.X, s.y, s.X_test, s.y_test, minimum(down).x, nullptr)) /
                   (2 * h);
    }
    if (!numeric.allFinite() || numeric.norm() < 1e-4) continue;
    cosines.push_back(projected.normalized().dot(numeric.normalized()));
  }
  // Not all: where the likelihood bends much more than its average information says, the minimum moves less.
  ASSERT_GE(cosines.size(), 6u);
  std::sort(cosines.begin(), cosines.end());
  EXPECT_GT(cosines[cosines.size() / 2], 0.98);
  EXPECT_GT(cosines[0], 0.5);
}

TrainingConfig StepConfig() {
  TrainingConfig config = DefaultTrainingConfig();
  config.seed = 3;
  config.datasets = 32;
  config.batch = 16;
  config.max_n = 40;
  config.max_d = 2;
  config.curriculum.clear();
  config.schedule.warmup_steps = 1;
  MixtureComponent tables;
  tables.kind = ComponentKind::kTables;
  tables.share = 0.5;
  tables.tables.max_n = 40;
  tables.tables.max_d = 4;
  tables.tables.large_share = 0;
  config.mixture[0].share = 0.5;
  config.mixture.push_back(tables);
  return config;
}

TEST(StepTraining, IsTheSameOnAnyNumberOfThreadsAndMovesTheWeights) {
  const TrainingConfig config = StepConfig();
  StepTrainingOptions options;
  options.hidden = 6;
  options.validation_datasets = 8;
  options.threads = 1;
  const StepTraining one = TrainSteps(TrainedNetwork::Embedded(), config, options);
  options.threads = 3;
  const StepTraining three = TrainSteps(TrainedNetwork::Embedded(), config, options);
  EXPECT_EQ(one.weights.values, three.weights.values);
  EXPECT_NE(one.weights.values, FirstStepWeights(6, config.seed).values);
  EXPECT_EQ(one.weights.datasets_seen, 32);
  ASSERT_EQ(one.validations.size(), 1u);
  EXPECT_TRUE(std::isfinite(one.validations[0].paper) && std::isfinite(one.validations[0].tables));
}

TEST(StepTraining, AStopLeavesWhatWasLearned) {
  TrainingConfig config = StepConfig();
  config.datasets = 1'000'000;
  std::stop_source source;
  StepTrainingOptions options;
  options.hidden = 4;
  options.validation_datasets = 4;
  options.stop = source.get_token();
  options.on_step = [&](std::int64_t) { source.request_stop(); };
  const StepTraining training = TrainSteps(TrainedNetwork::Embedded(), config, options);
  EXPECT_TRUE(training.interrupted);
  EXPECT_EQ(training.weights.datasets_seen, config.batch);
}

}  // namespace
}  // namespace instantgp

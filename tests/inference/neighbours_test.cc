#include "instantgp/inference/neighbours.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"
#include "instantgp/inference/content_order.h"
#include "instantgp/inference/neighbour_tuning.h"
#include "instantgp/inference/readings.h"
#include "instantgp/inference/rescaled_parameters.h"
#include "instantgp/kernel/parameters.h"
#include "tests/support/tables.h"

namespace instantgp {
namespace {

TEST(ContentOrder, FollowsTheValuesNotTheOrderOfRows) {
  RandomStream random(1);
  Matrix X = testing::UniformMatrix(random, 500, 2);
  X.bottomRows(100) = X.topRows(100);  // copies, with targets of their own
  X.row(250).setConstant(-0.0);
  const Vector y = testing::NormalVector(random, 500);
  const std::vector<int> order = ContentOrder(X, y, 7);
  std::vector<int> sorted = order, turned(500);
  std::sort(sorted.begin(), sorted.end());
  for (int i = 0; i < 500; ++i) EXPECT_EQ(sorted[i], i);
  std::iota(turned.rbegin(), turned.rend(), 0);
  const std::vector<int> again = ContentOrder(X(turned, Eigen::all), y(turned), 7);
  for (int i = 0; i < 500; ++i) EXPECT_EQ(turned[again[i]], order[i]);
  EXPECT_NE(ContentOrder(X, y, 8), order);
}

TEST(ContentOrder, CopiesOfOneRowAreSpread) {
  // Two kinds of rows: among the first of the order are both, about evenly.
  Matrix X(1000, 1);
  for (int i = 0; i < 1000; ++i) X(i, 0) = i % 2;
  const std::vector<int> order = ContentOrder(X, Vector::LinSpaced(1000, 0, 1), 3);
  const auto ones = std::count_if(order.begin(), order.begin() + 100, [](int row) { return row % 2 == 1; });
  EXPECT_GT(ones, 30);
  EXPECT_LT(ones, 70);
}

TEST(Readings, NearPartsSeeWhatRandomOnesTakeForNoise) {
  // A fast wave: 500 of 40,000 random rows are too few to see it, 200 near ones are not.
  RandomStream random(2);
  const int n = 40000;
  const Matrix X = testing::UniformMatrix(random, n, 1);
  const Vector y = (4000 * X.col(0).array()).sin() * std::sqrt(2.0) + 0.05 * testing::NormalVector(random, n).array();
  const RowTree tree(X, y);
  const Structure structure{{0}, {{BaseSymbol::kSE}}};
  const std::vector<Reading> readings = ReadAtSeveralScales(TrainedNetwork::Embedded(), tree, structure,
                                                            ContentOrder(tree.X(), tree.y(), 0), nullptr, {});
  ASSERT_GE(readings.size(), 8u);
  double random_noise = 0, near_noise = 1;
  for (const Reading& reading : readings) {
    const double noise = std::exp(reading.theta.noise());
    if (reading.zoom == 1) random_noise = std::max(random_noise, noise);
    if (reading.zoom >= 100) near_noise = std::min(near_noise, noise);
  }
  EXPECT_LT(near_noise, 0.1 * random_noise);
  const NeighbourFit fit =
      FitNeighbours(TrainedNetwork::Embedded(), ToExpression(structure), structure, X, y, {.neighbours = 32});
  EXPECT_GT(fit.zoom, 1);
  EXPECT_LT(fit.nll, -1);  // the noise alone has -1.57
}

TEST(NeighbourTuning, ScaleMakesTheMeanSquareOneAndKeepsToTheCoverage) {
  RandomStream random(3);
  const Vector z = 3 * testing::NormalVector(random, 4000);
  EXPECT_NEAR(LogScaleOf(z, false), std::log(9.0), 0.1);
  EXPECT_NEAR(LogScaleOf(z, true), std::log(9.0), 0.15);
  Vector tails = testing::NormalVector(random, 4000);
  tails.head(20) *= 100;
  EXPECT_GT(LogScaleOf(tails, false), 2);
  EXPECT_LT(LogScaleOf(tails, true), 0.4);
  EXPECT_TRUE(std::isfinite(LogScaleOf(Vector::Zero(5), true)));
}

TEST(NeighbourTuning, GoesDownAndStaysWithinBounds) {
  RandomStream random(4);
  const int n = 400;
  const Matrix X = testing::UniformMatrix(random, n, 2);
  const Expression e =
      Expression::Product({Expression::Leaf(Elementary::kSE, 0), Expression::Leaf(Elementary::kSE, 1)});
  const Covariance covariance(e);
  std::vector<int> rows(n);
  std::iota(rows.begin(), rows.end(), 0);
  const LogParameters start(Vector{{0, std::log(0.05), 0, std::log(0.05)}}, std::log(0.5));
  for (const bool constant : {false, true}) {
    const Vector y = constant ? Vector(Vector::Zero(n)) : Vector((5 * X.col(0).array()).sin() + X.col(1).array());
    const RowTree tree(X, y);
    LeftOutDensity density(covariance, tree, rows, start, {.count = 20}, nullptr);
    double before = 0, after = 0;
    ASSERT_TRUE(density.Evaluate(start, &before, nullptr));
    for (const Freedom& freedom : {Freedom::ThreeNumbers(e, {}), Freedom::Everything(e, {})}) {
      const Tuned tuned = Tune(density, start, freedom, 20, {});
      ASSERT_TRUE(tuned.ok);
      EXPECT_TRUE(tuned.theta.allFinite());
      EXPECT_LE(tuned.theta.cwiseAbs().maxCoeff(), 25);
      EXPECT_GE(tuned.theta.noise(), -18.5);
      ASSERT_TRUE(density.Evaluate(tuned.theta, &after, nullptr));
      EXPECT_LT(after, before);
    }
    FixedRows fixed;
    fixed.rows = {1};
    fixed.log_values = {start[1]};
    EXPECT_EQ(Tune(density, start, Freedom::Everything(e, fixed), 10, {}).theta[1], start[1]);
  }
}

TEST(NeighboursFit, ASearchThatSeesTooManyRowsBecomesApproximateAndKnowsItsRecall) {
  RandomStream random(6);
  const int n = 4000;
  Structure structure;
  for (int k = 0; k < 6; ++k) {
    structure.columns.push_back(k);
    structure.symbols.push_back({BaseSymbol::kSE});
  }
  const Matrix X = testing::UniformMatrix(random, n, 6);
  const Vector y = X.rowwise().sum() + 0.1 * testing::NormalVector(random, n);
  const auto fit = [&](double most) {
    NeighbourOptions options;
    options.neighbours = 24;
    options.most_rows_seen = most;
    return FitNeighbours(TrainedNetwork::Embedded(), ToExpression(structure), structure, X, y, options);
  };
  const NeighbourFit exact = fit(1e9), loose = fit(100);
  EXPECT_EQ(exact.posterior.rule().eps, 0);
  EXPECT_EQ(exact.recall, 1);
  EXPECT_GT(loose.posterior.rule().eps, 0);
  EXPECT_GT(loose.recall, 0.8);
  EXPECT_LT(loose.recall, 1);
  EXPECT_NEAR(loose.nll, exact.nll, 0.1);
}

TEST(NeighboursFit, AKernelWithoutARangeIsRefused) {
  RandomStream random(5);
  const Structure structure{{0}, {{BaseSymbol::kLIN}}};
  try {
    FitNeighbours(TrainedNetwork::Embedded(), ToExpression(structure), structure, testing::UniformMatrix(random, 50, 1),
                  testing::NormalVector(random, 50), {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadInput);
  }
}

}  // namespace
}  // namespace instantgp

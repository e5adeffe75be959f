#include "instantgp/model/update.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/inference/type2_ml.h"
#include "instantgp/model/fit.h"
#include "tests/support/tables.h"

namespace instantgp {
namespace {

Dataset Rows(const Dataset& data, int first, int count) {
  return Dataset::Of(data.X.middleRows(first, count), data.y.segment(first, count));
}

// Property over random structures, sizes and parts: extending is refitting with the same parameters and scaling.
TEST(Update, EqualsRefittingWithTheSameParameters) {
  RandomStream random(5);
  for (int k = 0; k < 30; ++k) {
    const int n = 40 + random.UniformInt(0, 60), d = random.UniformInt(1, 4);
    const Simulated s = testing::DrawSimulated(n, d, 31, k);
    const int first = random.UniformInt(5, n - 5);
    LogParameters theta = s.theta;
    theta.noise() = std::max(theta.noise(), 2 * std::log(0.05));
    const Expression expression = ToExpression(s.truth);
    const Posterior before(expression, s.X.topRows(first), s.y.head(first), theta);
    // In two steps of several rows, the second of one row only.
    const Posterior extended = before.Extended(s.X.middleRows(first, n - 1 - first), s.y.segment(first, n - 1 - first))
                                   .Extended(s.X.bottomRows(1), s.y.tail(1));
    const Posterior fresh(expression, s.X, s.y, theta);
    ASSERT_EQ(extended.jitter(), fresh.jitter());
    EXPECT_LT((extended.L() - fresh.L()).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_NEAR(extended.nlml(), fresh.nlml(), 1e-9);
    Vector mean, std, mean_fresh, std_fresh;
    const Matrix X = Matrix::Random(20, s.X.cols());
    extended.MeanAndStd(X, Noise::kObserved, &mean, &std);
    fresh.MeanAndStd(X, Noise::kObserved, &mean_fresh, &std_fresh);
    EXPECT_LT((mean - mean_fresh).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((std - std_fresh).cwiseAbs().maxCoeff(), 1e-9);
  }
}

TEST(Update, KeepsScalingAndParametersAndCountsRows) {
  const Dataset all = testing::DrawTable(80, 2, 77, 1);
  const Model before = Fit(Rows(all, 0, 60), "SE", {.method = Method::kMap});
  const UpdateResult first =
      Update(before, all.X.middleRows(60, 5), all.y.segment(60, 5), {.reinfer = Reinfer::kNever});
  const UpdateResult second = Update(ParseModel(SerializeModel(first.model), "memory"), all.X.bottomRows(15),
                                     all.y.tail(15), {.reinfer = Reinfer::kNever});
  EXPECT_EQ(second.model.rows(), 80);
  EXPECT_EQ(second.model.summary().inferred_rows, 60);
  EXPECT_EQ(second.drift.rows, 20);  // since the inference, through the file
  EXPECT_EQ(second.model.posterior().theta(), before.posterior().theta());
  EXPECT_EQ(second.model.scaler().y_mean, before.scaler().y_mean);
  EXPECT_EQ(second.model.scaler().x_range, before.scaler().x_range);
  // The score is the chain rule of the likelihood: log p(new | old) = log p(all) - log p(old).
  const double joint = 80 * second.model.summary().nlml - 60 * before.summary().nlml;
  EXPECT_NEAR(second.drift.score, joint / 20, 1e-8);
  // Several rows at once or one by one: the same.
  const UpdateResult at_once = Update(before, all.X.bottomRows(20), all.y.tail(20), {.reinfer = Reinfer::kNever});
  EXPECT_NEAR(at_once.model.summary().nlml, second.model.summary().nlml, 1e-10);
}

TEST(Update, RightModelsRarelyDrift) {
  int drifts = 0;
  for (int k = 0; k < 300; ++k) {
    const Simulated s = testing::DrawPositive(60, 13, k);
    Posterior truth(ToExpression(s.truth), s.X.topRows(40), s.y.head(40), s.theta);
    const Model model(std::move(truth), Scaler::Identity(static_cast<int>(s.X.cols())), DefaultColumnNames(s.X.cols()),
                      "y", FitSummary(), {});
    drifts += Update(model, s.X.bottomRows(20), s.y.tail(20), {.reinfer = Reinfer::kNever}).drift.drifting ? 1 : 0;
  }
  EXPECT_LE(drifts, 4);  // 0.3 expected
}

TEST(Update, DriftLeadsToANewInference) {
  RandomStream random(8);
  Matrix X(60, 1);
  Vector y(60);
  for (int i = 0; i < 60; ++i) {
    X(i, 0) = i < 40 ? random.Uniform() : 1 + random.Uniform();  // and beyond the range that was fitted
    y[i] = std::sin(3 * X(i, 0)) + 0.02 * random.Normal();
    if (i >= 40) y[i] = std::sin(40 * X(i, 0)) + 0.3 * random.Normal();
  }
  for (const Method method : {Method::kOneShot, Method::kRefine, Method::kMl, Method::kMap}) {
    const Model before = Fit(Dataset::Of(X.topRows(40), y.head(40)), "SE + LIN", {.method = method});
    const UpdateResult kept = Update(before, X.bottomRows(20), y.tail(20), {.reinfer = Reinfer::kNever});
    const UpdateResult result = Update(before, X.bottomRows(20), y.tail(20));
    EXPECT_TRUE(kept.drift.drifting && !kept.reinferred);
    EXPECT_TRUE(result.drift.drifting && result.reinferred) << Name(method);
    EXPECT_LT(result.model.summary().nlml, kept.model.summary().nlml - 0.5) << Name(method);
    EXPECT_EQ(result.model.scaler().x_range, before.scaler().x_range);
    EXPECT_EQ(result.model.rows(), 60);
    EXPECT_EQ(result.model.summary().inferred_rows, 0);
    EXPECT_EQ(result.model.summary().method, Name(method));
  }
}

// Re-inference of rows that keep the scaling is a fit of all rows.
TEST(Update, ReinferenceIsAFit) {
  const Dataset all = testing::DrawTable(90, 2, 77, 3);
  // The first rows hold the extremes of every column, and nearly the mean and spread of y.
  const Model whole = Fit(all, "SE + LIN");
  const Model before(Posterior(whole.posterior().expression(), whole.posterior().X().topRows(70),
                               whole.posterior().y().head(70), whole.posterior().theta()),
                     whole.scaler(), whole.column_names(), whole.target_name(), whole.summary(), {});
  const UpdateResult result = Update(before, all.X.bottomRows(20), all.y.tail(20), {.reinfer = Reinfer::kAlways});
  EXPECT_TRUE(result.reinferred);
  EXPECT_LE(result.model.summary().nlml, whole.summary().nlml + 1e-6);
}

// The priors that were part of a fit are part of the next one, also after the model was a file in between.
TEST(Update, ARefinementUnderThePriorsStaysOne) {
  const Dataset all = testing::DrawTable(40, 3, 77, 6);
  const Dataset first = Rows(all, 0, 30);
  const UpdateOptions again = {.reinfer = Reinfer::kAlways};
  const Model map = Fit(first, "SE", {.method = Method::kRefine, .map = true});
  const Model ml = Fit(first, "SE", {.method = Method::kRefine});
  EXPECT_TRUE(map.summary().map);
  EXPECT_FALSE(ml.summary().map);
  const Model loaded = ParseModel(SerializeModel(map), "memory");
  EXPECT_TRUE(loaded.summary().map);
  const auto value = [&](const Model& model, bool with_priors) {
    const Posterior& p = model.posterior();
    return Type2Value(p.expression(), p.X(), p.y(), with_priors, p.theta()).value();
  };
  const Model by_map = Update(loaded, all.X.bottomRows(10), all.y.tail(10), again).model;
  const Model by_ml = Update(ml, all.X.bottomRows(10), all.y.tail(10), again).model;
  EXPECT_TRUE(by_map.summary().map);
  EXPECT_LT(value(by_map, true), value(by_ml, true) - 1e-3);  // each is better by what it optimised
  EXPECT_LT(value(by_ml, false), value(by_map, false) - 1e-3);
}

TEST(Update, SparseModelsAndBadRows) {
  const Dataset all = testing::DrawTable(60, 1, 77, 4);
  const Model sparse = Fit(Rows(all, 0, 50), "SE", {.method = Method::kSvgp, .steps = 30, .inducing = 12});
  const UpdateResult result = Update(sparse, all.X.bottomRows(10), all.y.tail(10));
  EXPECT_EQ(result.model.rows(), 60);
  EXPECT_FALSE(result.reinferred);
  EXPECT_THROW(Update(sparse, all.X.bottomRows(10), all.y.tail(10), {.reinfer = Reinfer::kAlways}), Error);
  const Model exact = Fit(Rows(all, 0, 50), "SE");
  EXPECT_THROW(Update(exact, Matrix::Zero(2, 2), Vector::Zero(2)), Error);
  EXPECT_THROW(Update(exact, Matrix::Zero(2, 1), Vector::Zero(3)), Error);
  EXPECT_THROW(Update(exact, Matrix::Zero(0, 1), Vector::Zero(0)), Error);
  EXPECT_THROW(Update(exact, Matrix::Constant(1, 1, NAN), Vector::Zero(1)), Error);
  EXPECT_THROW(
      Update(exact, all.X.bottomRows(1), all.y.tail(1), {.reinfer = Reinfer::kAlways, .method = Method::kSvgp}), Error);
  // A row that is there already, without noise to speak of.
  EXPECT_EQ(Update(exact, all.X.topRows(1), all.y.head(1)).model.rows(), 51);
}

}  // namespace
}  // namespace instantgp

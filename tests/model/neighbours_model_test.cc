// Models from neighbours through the facade: fitting, degenerate tables, saving, updating.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"
#include "instantgp/base/safetensors.h"
#include "instantgp/gp/neighbour_posterior.h"
#include "instantgp/model/explain.h"
#include "instantgp/model/fit.h"
#include "instantgp/model/update.h"
#include "tests/model/altered_files.h"

namespace instantgp {
namespace {

// Waves on two columns and one that carries nothing.
Dataset Waves(int n, double noise = 0.1, std::uint64_t seed = 4) {
  RandomStream random(seed);
  Matrix X(n, 3);
  Vector y(n);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 3; ++k) X(i, k) = random.Uniform(10.0 * k, 10.0 * k + 5);
    y[i] = 100 + 20 * std::sin(2 * X(i, 0)) * std::cos(X(i, 1)) + 20 * noise * random.Normal();
  }
  return Dataset::Of(X, y);
}

FitOptions ByNeighbours(int neighbours = 0) { return {.method = Method::kNeighbours, .neighbours = neighbours}; }

TEST(NeighboursModel, PredictsAsWellAsTheExactOneAndKnowsItsError) {
  const Dataset data = Waves(3000), fresh = Waves(1000, 0.1, 5);
  const Model model = Fit(data, "SE", ByNeighbours());
  ASSERT_NE(model.neighbours(), nullptr);
  EXPECT_EQ(model.sparse(), nullptr);
  EXPECT_EQ(model.summary().method, "neighbours");
  EXPECT_TRUE(model.warnings().empty());
  const Scores scores = model.Score(fresh.X, fresh.y);
  EXPECT_LT(scores.rmse, 2.15);  // the noise is 2
  EXPECT_GT(scores.coverage95, 0.92);
  EXPECT_LT(scores.coverage95, 0.98);
  const Scores exact = Fit(data, "SE", {.exact = true}).Score(fresh.X, fresh.y);
  EXPECT_LT(scores.rmse, 1.05 * exact.rmse);
  EXPECT_LT(scores.nll, exact.nll + 0.05);
}

TEST(NeighboursModel, EveryLengthscaleIsNoWorseOnRowsLeftOut) {
  const Dataset data = Waves(1500), fresh = Waves(500, 0.1, 6);
  FitOptions every = ByNeighbours(64);
  every.every_lengthscale = true;
  const double three = Fit(data, "MAT52", ByNeighbours(64)).Score(fresh.X, fresh.y).nll;
  EXPECT_LT(Fit(data, "MAT52", every).Score(fresh.X, fresh.y).nll, three + 0.03);
}

TEST(NeighboursModel, SameBitsWhateverTheThreadsAndSameAnswerWhateverTheOrder) {
  const Dataset data = Waves(900);
  const Matrix new_rows = Waves(40, 0.1, 7).X;
  const auto predict = [&](const Dataset& rows, int threads) {
    return Fit(rows, "SE", ByNeighbours(32), {.threads = threads}).Predict(new_rows);
  };
  const Prediction one = predict(data, 1), three = predict(data, 3);
  EXPECT_EQ(one.mean, three.mean);
  EXPECT_EQ(one.std, three.std);
  std::vector<int> order(900);
  std::iota(order.rbegin(), order.rend(), 0);
  // The mean of y is added up in another order.
  const Prediction turned = predict(SelectRows(data, order), 2);
  EXPECT_LT((one.mean - turned.mean).cwiseAbs().maxCoeff(), 1e-5);
  EXPECT_LT((one.std - turned.std).cwiseAbs().maxCoeff(), 1e-5);
  FitOptions other = ByNeighbours(32);
  other.seed = 1;
  EXPECT_NE(Fit(data, "SE", other).Predict(new_rows).mean, one.mean);
}

TEST(NeighboursModel, KernelsOfEveryKind) {
  const Dataset data = Waves(300), fresh = Waves(100, 0.1, 8);
  for (const char* kernel : {"SE", "MAT52", "SE + LIN", "SE*PER + LIN", "SE(x1)*LIN(x2)*SE(x2)", "PER(x1)*SE(x2)",
                             "SE + MAT52", "PER(x1, period=3.14159)*SE(x2)"}) {
    const Model model = Fit(data, kernel, ByNeighbours(32));
    EXPECT_LT(model.Score(fresh.X, fresh.y).rmse_standardized, 1.05) << kernel;
    EXPECT_TRUE(model.Predict(fresh.X).std.allFinite()) << kernel;
  }
  try {
    Fit(data, "LIN", ByNeighbours());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadInput);
    EXPECT_NE(std::string(error.what()).find("SE, MAT52 or PER"), std::string::npos);
  }
}

TEST(NeighboursModel, DegenerateTables) {
  RandomStream random(9);
  const Dataset waves = Waves(200);
  const auto fit = [&](const Matrix& X, const Vector& y) {
    const Model model = Fit(Dataset::Of(X, y), "SE", ByNeighbours());
    const Prediction prediction = model.Predict(X.topRows(std::min<Eigen::Index>(20, X.rows())));
    EXPECT_TRUE(prediction.mean.allFinite());
    EXPECT_TRUE(prediction.std.allFinite());
    return prediction;
  };
  {  // every row four times
    Matrix X(800, 3);
    Vector y(800);
    for (int k = 0; k < 4; ++k) {
      X.middleRows(200 * k, 200) = waves.X;
      y.segment(200 * k, 200) = waves.y;
    }
    fit(X, y);
  }
  Matrix X = waves.X;
  X.col(1).setConstant(7);
  fit(X, waves.y);  // a constant column
  X = waves.X;
  X.col(1) = X.col(1).array().floor().unaryExpr([](double v) { return std::fmod(v, 3.0); });
  fit(X, waves.y);  // three levels
  const Prediction constant = fit(waves.X, Vector::Constant(200, 5));
  EXPECT_LT((constant.mean.array() - 5).abs().maxCoeff(), 1e-6);
  fit(Matrix::Constant(50, 2, 1.0), Vector::Constant(50, 1.0));
  fit(waves.X * 1e300, waves.y);
  fit(waves.X * 1e-300, waves.y * 1e-300);
  fit(waves.X, waves.y * 1e300);
  fit(waves.X.topRows(5), waves.y.head(5));
  fit(waves.X.topRows(1), waves.y.head(1));
}

TEST(NeighboursModel, TakesThePlaceOfAnExactPosteriorThatWouldTakeTooLong) {
  EXPECT_EQ(ResolveForRows({}, 5000, kDefaultMemoryLimit).method, Method::kOneShot);
  EXPECT_EQ(ResolveForRows({}, 8000, kDefaultMemoryLimit).method, Method::kNeighbours);
  EXPECT_EQ(ResolveForRows({}, 5000, 1e6).method, Method::kNeighbours);
  EXPECT_EQ(ResolveForRows({.exact = true}, 8000, kDefaultMemoryLimit).method, Method::kOneShot);
  EXPECT_EQ(ResolveForRows({.method = Method::kMl}, 8000, kDefaultMemoryLimit).method, Method::kMl);
  EXPECT_TRUE(ResolveForRows({.method = Method::kRefine}, 8000, kDefaultMemoryLimit).every_lengthscale);
  const Model model = Fit(Waves(2500), "SE", {.neighbours = 40}, {.memory_limit = 5e7});
  ASSERT_NE(model.neighbours(), nullptr);
  ASSERT_EQ(model.warnings().size(), 1u);
  EXPECT_NE(model.warnings()[0].find("its 40 nearest rows instead of all"), std::string::npos);
}

TEST(NeighboursModel, WhatItCannotDoIsAnError) {
  const Model model = Fit(Waves(300), "SE", ByNeighbours(32));
  EXPECT_THROW(model.posterior(), Error);
  EXPECT_THROW(model.Loo(), Error);
  EXPECT_EQ(model.Sample(Waves(5).X, 3, 1).cols(), 3);
  FitOptions too_many = ByNeighbours(5000);
  EXPECT_THROW(Fit(Waves(300), "SE", too_many), Error);
  Session session;
  const Encoding encoding = session.Encode(Waves(100));
  EXPECT_THROW(session.Fit(encoding, "SE", ByNeighbours()), Error);
  std::stop_source stop;
  stop.request_stop();
  try {
    Fit(Waves(300), "SE", ByNeighbours(), {.stop = stop.get_token()});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInterrupted);
  }
}

TEST(NeighboursModel, ComponentsAddUpToThePrediction) {
  const Model by_neighbours = Fit(Waves(1500), "(SE(x1) + LIN(x1))*SE(x2)", ByNeighbours(40));
  const Explanation explanation = Explain(by_neighbours);
  ASSERT_EQ(explanation.components.size(), 2u);
  const Matrix X = Waves(30, 0.1, 11).X;
  Vector sum = Vector::Constant(30, by_neighbours.scaler().y_mean);
  double shares = explanation.residual_share;
  for (const Component& component : explanation.components) {
    sum += PredictComponent(by_neighbours, component, X).mean;
    shares += component.share;
  }
  EXPECT_LT((sum - by_neighbours.PredictMean(X)).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_NEAR(shares, 1, 1e-9);
}

// A slope that no neighbourhood knows: the model follows it beyond its rows, in
// the file and in its parts too.
TEST(NeighboursModel, ALineIsLearntFromRowsEverywhere) {
  RandomStream random(8);
  Matrix X(3000, 1);
  Vector y(3000);
  for (int i = 0; i < 3000; ++i) {
    X(i, 0) = random.Uniform(0, 10);
    y[i] = 5 * X(i, 0) + std::sin(4 * X(i, 0)) + 0.2 * random.Normal();
  }
  const Model model = Fit(Dataset::Of(X, y), "SE + LIN", ByNeighbours(32));
  ASSERT_NE(model.neighbours()->rule().linear, nullptr);
  EXPECT_TRUE(model.neighbours()->rule().anchors.empty());
  const Matrix beyond{{12.0}, {14.0}};
  const Vector mean = model.PredictMean(beyond);
  EXPECT_NEAR(mean[0], 60, 3);
  EXPECT_NEAR(mean[1], 70, 4);
  const std::string bytes = SerializeModel(model);
  const Model loaded = ParseModel(bytes, "memory");
  EXPECT_EQ(SerializeModel(loaded), bytes);
  EXPECT_EQ(loaded.PredictMean(beyond), mean);
  const Explanation explanation = Explain(model);
  const Matrix some = X.topRows(20);
  Vector sum = Vector::Constant(20, model.scaler().y_mean);
  for (const Component& component : explanation.components) sum += PredictComponent(model, component, some).mean;
  EXPECT_LT((sum - model.PredictMean(some)).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(NeighboursModel, NewRowsJoinTheOthers) {
  const Dataset all = Waves(1200);
  std::vector<int> first(700), rest(500);
  std::iota(first.begin(), first.end(), 0);
  std::iota(rest.begin(), rest.end(), 700);
  const Dataset some = SelectRows(all, first), more = SelectRows(all, rest), fresh = Waves(300, 0.1, 10);
  const Model before = Fit(some, "SE + LIN", ByNeighbours(48));
  const UpdateResult after = Update(before, more.X, more.y);
  EXPECT_EQ(after.model.rows(), 1200);
  EXPECT_EQ(after.model.summary().inferred_rows, 700);
  EXPECT_FALSE(after.drift.drifting);
  EXPECT_LT(after.model.Score(fresh.X, fresh.y).rmse, before.Score(fresh.X, fresh.y).rmse);
  EXPECT_EQ(SerializeModel(ParseModel(SerializeModel(after.model), "memory")), SerializeModel(after.model));
}

TEST(NeighboursModel, RowsThatContradictItMakeItInferAgain) {
  const Dataset some = Waves(700), fresh = Waves(400, 1.0, 10);
  const Model before = Fit(some, "SE", ByNeighbours(48));
  // Ten times the noise from now on.
  const Dataset noisy = Waves(900, 1.0, 11);
  const UpdateResult kept = Update(before, noisy.X, noisy.y, {.reinfer = Reinfer::kNever});
  const UpdateResult again = Update(before, noisy.X, noisy.y);
  EXPECT_TRUE(again.drift.drifting);
  EXPECT_FALSE(kept.reinferred);
  EXPECT_TRUE(again.reinferred);
  EXPECT_EQ(again.model.rows(), 1600);
  EXPECT_EQ(again.model.summary().method, "neighbours");
  EXPECT_LT(again.model.Score(fresh.X, fresh.y).nll, kept.model.Score(fresh.X, fresh.y).nll - 0.5);
  // Asked for, it does so whatever the rows say; by other methods it cannot.
  const Dataset more = Waves(100, 0.1, 12);
  EXPECT_TRUE(Update(before, more.X, more.y, {.reinfer = Reinfer::kAlways}).reinferred);
  EXPECT_TRUE(Update(before, more.X, more.y, {.reinfer = Reinfer::kAlways, .method = Method::kRefine}).reinferred);
  try {
    Update(before, more.X, more.y, {.reinfer = Reinfer::kAlways, .method = Method::kMl});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_EQ(error.remedies().front().value, "neighbours");
  }
}

TEST(NeighboursModelFile, ComesBackBitForBitAndIsCheckedWhole) {
  const Dataset data = Waves(200);
  const Model model = Fit(data, "SE + LIN", ByNeighbours(24));
  const std::string bytes = SerializeModel(model);
  const Model loaded = ParseModel(bytes, "memory");
  EXPECT_EQ(SerializeModel(loaded), bytes);
  EXPECT_EQ(model.Predict(data.X).mean, loaded.Predict(data.X).mean);
  EXPECT_EQ(model.Predict(data.X, Noise::kLatent).std, loaded.Predict(data.X, Noise::kLatent).std);
  const TensorFile good = ParseTensors(bytes, "memory");
  testing::ExpectEveryTensorIsChecked(good);
  testing::ExpectEveryIntegerIsChecked(good, "model");
  for (std::size_t length = 0; length < bytes.size(); length += 97) {
    EXPECT_THROW(ParseModel(bytes.substr(0, length), "short"), Error);
  }
  for (std::size_t k = 0; k < bytes.size(); k += 61) {
    std::string altered = bytes;
    altered[k] = static_cast<char>(altered[k] ^ (1 << (k % 8)));
    EXPECT_THROW(ParseModel(altered, "altered"), Error);
  }
  const auto with = [&](const std::string& from, const std::string& to) {
    TensorFile file = good;
    std::string& text = file.metadata["model"];
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    EXPECT_THROW(ParseModel(SerializeTensors(file), to), Error) << to;
  };
  with("\"count\":24", "\"count\":0");
  with("\"count\":24", "\"count\":201");
  with("\"tree_rows\":200", "\"tree_rows\":0");
  with("\"tree_rows\":200", "\"tree_rows\":300");
  with("\"eps\":0.0", "\"eps\":-1.0");
  with("\"anchors\":[", "\"anchors\":[-1,");
  with("\"anchors\":[", "\"anchors\":[200,");
  TensorFile newer = good;
  newer.metadata["version"] = "5.0";
  EXPECT_THROW(ParseModel(SerializeTensors(newer), "newer"), Error);
}

}  // namespace
}  // namespace instantgp

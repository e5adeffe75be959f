// Models whose predictions are averaged over several sets of parameters, through the facade.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"
#include "instantgp/base/safetensors.h"
#include "instantgp/gp/averaged_posterior.h"
#include "instantgp/gp/cholesky.h"
#include "instantgp/model/ensemble.h"
#include "instantgp/model/explain.h"
#include "instantgp/model/fit.h"
#include "instantgp/model/update.h"
#include "tests/model/altered_files.h"

namespace instantgp {
namespace {

Dataset FewRows(int n) {
  RandomStream random(2);
  Matrix X(n, 2);
  Vector y(n);
  for (int i = 0; i < n; ++i) {
    X(i, 0) = random.Uniform(0, 5);
    X(i, 1) = random.Uniform(-1, 1);
    y[i] = 100 + 20 * std::sin(X(i, 0)) + 3 * X(i, 1) + random.Normal();
  }
  return Dataset::Of(X, y);
}

const FitOptions kPoint = {.method = Method::kMap};  // one set of parameters

Matrix DrawsAround(const Model& model, int count) {
  RandomStream random(9);
  Matrix draws = model.predictive().theta().replicate(1, count);
  for (Index k = 0; k < draws.size(); ++k) draws.data()[k] += 0.4 * random.Normal();
  return draws;
}

Model AveragedFit(const Dataset& data, const char* kernel, int count = 6) {
  const Model plain = Fit(data, kernel, kPoint);
  return plain.Averaged(DrawsAround(plain, count));
}

// The model of one draw: the same rows and scaling, at its parameters.
Model AtDraw(const Model& model, Index k) { return model.Averaged(model.Draws().col(k)); }

void ExpectSamePrediction(const Prediction& a, const Prediction& b) {
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.std, b.std);
}

TEST(AveragedModel, PredictsTheAverageInTheUsersUnits) {
  const Dataset data = FewRows(25);
  const Model model = AveragedFit(data, "SE + LIN");
  EXPECT_EQ(model.AveragedOver(), 6);
  const Matrix some = data.X.topRows(7).array() + 0.1;
  for (const Noise noise : {Noise::kLatent, Noise::kObserved}) {
    Vector mean = Vector::Zero(7), second = Vector::Zero(7);
    for (Index k = 0; k < 6; ++k) {
      const Prediction own = AtDraw(model, k).Predict(some, noise);
      mean += own.mean / 6;
      second += (own.std.cwiseAbs2() + (own.mean.array() - 100).square().matrix()) / 6;
    }
    const Vector variance = second - (mean.array() - 100).square().matrix();
    const Prediction prediction = model.Predict(some, noise);
    EXPECT_LT((prediction.mean - mean).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((prediction.std.cwiseAbs2() - variance).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_LT((model.PredictCov(some, noise).diagonal() - variance).cwiseAbs().maxCoeff(), 1e-8);
  }
  EXPECT_EQ(model.PredictMean(some), model.Predict(some).mean);
  EXPECT_EQ(model.Sample(some, 5, 1).cols(), 5);
  EXPECT_TRUE(std::isfinite(model.Score(data.X, data.y).nll));
  EXPECT_NEAR(model.Loo().nll, model.StandardizedLoo().nll + std::log(model.scaler().y_std), 1e-12);
  EXPECT_EQ(model.averaged()->Loo().mean, model.StandardizedLoo().mean);
}

TEST(AveragedModel, WhatItShowsBelongsToTheCentre) {
  const Dataset data = FewRows(20);
  const Model plain = Fit(data, "SE + LIN", kPoint), model = plain.Averaged(DrawsAround(plain, 4));
  EXPECT_EQ(plain.AveragedOver(), 0);
  EXPECT_EQ(plain.averaged(), nullptr);
  EXPECT_EQ(plain.Draws().cols(), 0);
  EXPECT_EQ(model.NoiseVariance(), plain.NoiseVariance());
  EXPECT_EQ(model.Parameters()[0].value, plain.Parameters()[0].value);
  EXPECT_EQ(model.predictive().nlml(), plain.predictive().nlml());
  EXPECT_NE(model.Predict(data.X).mean, plain.Predict(data.X).mean);
  // Without draws it is the centre again.
  const Model centre = model.Averaged(Matrix(model.Draws().rows(), 0));
  EXPECT_EQ(centre.AveragedOver(), 0);
  EXPECT_EQ(SerializeModel(centre), SerializeModel(plain));
  ExpectSamePrediction(centre.Predict(data.X), plain.Predict(data.X));
}

TEST(AveragedModel, BadDrawsAreErrors) {
  const Model model = Fit(FewRows(15), "SE", kPoint);
  const Index size = model.predictive().theta().size();
  const auto code = [](const Model& of, const Matrix& draws) {
    try {
      of.Averaged(draws);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::kFailure;
  };
  EXPECT_EQ(code(model, Matrix::Zero(size - 1, 2)), ErrorCode::kBadInput);
  EXPECT_EQ(code(model, Matrix::Constant(size, 2, NAN)), ErrorCode::kBadInput);
  EXPECT_EQ(code(model, Matrix::Zero(size, kMostDraws + 1)), ErrorCode::kBadInput);
  EXPECT_EQ(code(model, Matrix::Constant(size, 2, 1e4)), ErrorCode::kNumerical);
  const Model sparse = Fit(FewRows(15), "SE", {.method = Method::kSvgp, .steps = 3, .inducing = 4});
  EXPECT_EQ(code(sparse, Matrix::Zero(size, 1)), ErrorCode::kUsage);
}

TEST(AveragedModel, ComponentsAreAveragedAndStillAddUp) {
  const Dataset data = FewRows(30);
  const Model model = AveragedFit(data, "SE(x1)*LIN(x2) + LIN(x2) + SE(x1)");
  const Explanation explanation = Explain(model);
  double total = explanation.residual_share;
  Vector sum = Vector::Zero(30);
  for (std::size_t c = 0; c < explanation.components.size(); ++c) {
    const Component& component = explanation.components[c];
    total += component.share;
    const Prediction prediction = PredictComponent(model, component, data.X);
    sum += prediction.mean;
    Vector mean = Vector::Zero(30), second = Vector::Zero(30);
    for (Index k = 0; k < model.AveragedOver(); ++k) {
      const Prediction own = PredictComponent(AtDraw(model, k), component, data.X);
      mean += own.mean / model.AveragedOver();
      second += (own.std.cwiseAbs2() + own.mean.cwiseAbs2()) / model.AveragedOver();
    }
    EXPECT_LT((prediction.mean - mean).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((prediction.std.cwiseAbs2() - (second - mean.cwiseAbs2())).cwiseAbs().maxCoeff(), 1e-7);
  }
  EXPECT_NEAR(total, 1, 1e-9);
  const Vector whole = model.Predict(data.X, Noise::kLatent).mean.array() - model.scaler().y_mean;
  EXPECT_LT((sum - whole).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(AveragedModel, UpdateEqualsRefittingWithTheSameParameters) {
  const Dataset all = FewRows(40);
  const Model before = AveragedFit(Dataset::Of(all.X.topRows(30), all.y.head(30)), "SE + LIN");
  const UpdateResult kept = Update(before, all.X.bottomRows(10), all.y.tail(10), {.reinfer = Reinfer::kNever});
  EXPECT_EQ(kept.model.rows(), 40);
  EXPECT_EQ(kept.model.AveragedOver(), 6);
  EXPECT_EQ(kept.model.Draws(), before.Draws());
  // The drift is that of the parameters shown.
  const Model centre = before.Averaged(Matrix(before.Draws().rows(), 0));
  const UpdateResult of_centre = Update(centre, all.X.bottomRows(10), all.y.tail(10), {.reinfer = Reinfer::kNever});
  EXPECT_EQ(kept.drift.score, of_centre.drift.score);
  EXPECT_EQ(kept.model.summary().nlml, of_centre.model.summary().nlml);
  // Averaging over the draws after the rows came in: every member factorised anew.
  const Model fresh = of_centre.model.Averaged(before.Draws());
  const Prediction a = kept.model.Predict(all.X), b = fresh.Predict(all.X);
  EXPECT_LT((a.mean - b.mean).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_LT((a.std - b.std).cwiseAbs().maxCoeff(), 1e-7);
  // A new inference brings its own draws or none.
  const UpdateResult anew = Update(before, all.X.bottomRows(10), all.y.tail(10), {.reinfer = Reinfer::kAlways});
  EXPECT_TRUE(anew.reinferred);
  EXPECT_EQ(anew.model.AveragedOver(), 0);  // map has one set of parameters
  // Every member's factor counts against the memory limit.
  const double bytes = EstimateCost(40, {}).bytes;
  EXPECT_NO_THROW(
      Update(centre, all.X.bottomRows(10), all.y.tail(10), {.reinfer = Reinfer::kNever}, {.memory_limit = 2 * bytes}));
  EXPECT_THROW(
      Update(before, all.X.bottomRows(10), all.y.tail(10), {.reinfer = Reinfer::kNever}, {.memory_limit = 2 * bytes}),
      Error);
}

TEST(AveragedModel, UpdatesOnManyThreadsGiveTheSameBits) {
  const Dataset all = FewRows(kTwoPartSize);
  const Model before = AveragedFit(Dataset::Of(all.X.topRows(kTwoPartSize - 9), all.y.head(kTwoPartSize - 9)), "SE", 3);
  const UpdateOptions keep = {.reinfer = Reinfer::kNever};
  const Model one = Update(before, all.X.bottomRows(9), all.y.tail(9), keep, {.threads = 1}).model;
  const Model four = Update(before, all.X.bottomRows(9), all.y.tail(9), keep, {.threads = 4}).model;
  ExpectSamePrediction(one.Predict(all.X), four.Predict(all.X));
}

TEST(AveragedModel, IsAMemberOfAnEnsembleByItsMoments) {
  const Dataset data = FewRows(20);
  const Model one = AveragedFit(data, "SE"), two = AveragedFit(data, "LIN");
  const Ensemble ensemble({{one, 0.75}, {two, 0.25}}, {}, {}, {});
  const Prediction a = one.Predict(data.X), b = two.Predict(data.X);
  const Mixture mixture = ensemble.Predict(data.X);
  const Vector mean = 0.75 * a.mean + 0.25 * b.mean;
  EXPECT_LT((mixture.Mean() - mean).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((ensemble.LooMean() - 0.75 * one.Loo().mean - 0.25 * two.Loo().mean).cwiseAbs().maxCoeff(), 1e-9);
  const Ensemble loaded = ParseEnsemble(SerializeEnsemble(ensemble), "memory");
  EXPECT_EQ(loaded.members()[0].model.AveragedOver(), 6);
  EXPECT_EQ(loaded.Predict(data.X).means(), mixture.means());
  EXPECT_EQ(loaded.Predict(data.X).stds(), mixture.stds());
}

TEST(AveragedModelFile, ComesBackBitForBitAndIsCheckedWhole) {
  const Dataset data = FewRows(12);
  const Model model = AveragedFit(data, "SE*LIN + PER", 5);
  const std::string bytes = SerializeModel(model);
  const Model loaded = ParseModel(bytes, "memory");
  EXPECT_EQ(SerializeModel(loaded), bytes);
  EXPECT_EQ(loaded.Draws(), model.Draws());
  ExpectSamePrediction(model.Predict(data.X), loaded.Predict(data.X));
  EXPECT_EQ(model.PredictCov(data.X), loaded.PredictCov(data.X));
  EXPECT_EQ(model.Sample(data.X, 7, 3), loaded.Sample(data.X, 7, 3));
  EXPECT_EQ(model.Loo().nll, loaded.Loo().nll);

  const TensorFile good = ParseTensors(bytes, "memory");
  ASSERT_TRUE(good.tensors.contains("draws"));
  testing::ExpectEveryTensorIsChecked(good);
  testing::ExpectEveryIntegerIsChecked(good, "model");
  const std::string& meta = good.metadata.at("model");
  const std::string count = "\"draws\":5";
  ASSERT_NE(meta.find(count), std::string::npos);
  for (const char* wrong : {"0", "-1", "4", "6", "257", "4000000000000", "\"five\"", "null"}) {
    TensorFile file = good;
    file.metadata["model"].replace(meta.find(count), count.size(), std::string("\"draws\":") + wrong);
    EXPECT_THROW(ParseModel(SerializeTensors(file), wrong), Error) << wrong;
  }
}

TEST(AveragedModelFile, EveryTruncationAndEveryFlippedByteIsAnError) {
  const std::string bytes = SerializeModel(AveragedFit(FewRows(3), "SE(x1)", 2));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW(ParseModel(bytes.substr(0, length), "cut"), Error) << length;
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 4);
    EXPECT_THROW(ParseModel(changed, "changed"), Error) << i;
  }
}

// Readers of 1.x refuse 2.0 by its number and read everything else as before.
TEST(AveragedModelFile, OnlyDrawsRaiseTheVersion) {
  const Model averaged = AveragedFit(FewRows(6), "SE", 2);
  const Model plain = averaged.Averaged(Matrix(averaged.Draws().rows(), 0));
  EXPECT_EQ(ParseTensors(SerializeModel(averaged), "memory").metadata.at("version"), "2.0");
  EXPECT_EQ(ParseTensors(SerializeModel(plain), "memory").metadata.at("version"), "1.2");
}

// Written by the last program that knew no draws: fit five rows of two columns by map, kernel SE(x1) + LIN(x2).
TEST(AveragedModelFile, FilesOfTheVersionBeforeStillLoad) {
  const Model model = LoadModel(std::string(INSTANTGP_SOURCE_DIR) + "/tests/golden/model-1.2.gp");
  EXPECT_EQ(model.rows(), 5);
  EXPECT_EQ(model.AveragedOver(), 0);
  EXPECT_EQ(model.KernelText(), "SE(x1) + LIN(x2)");
  const Matrix X = (Matrix(3, 2) << 0.5, 1, 3, 3, 6, -1).finished();
  const Prediction prediction = model.Predict(X);
  const Vector mean = (Vector(3) << 2.726893963677604, 2.558255491942619, 1.9120473566056222).finished();
  const Vector std = (Vector(3) << 0.8506696835836249, 1.1370882145022272, 1.179683329604561).finished();
  EXPECT_LT((prediction.mean - mean).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((prediction.std - std).cwiseAbs().maxCoeff(), 1e-12);
}

}  // namespace
}  // namespace instantgp

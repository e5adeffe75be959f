// Sparse models through the facade: fitting, refusing, saving.
#include <gtest/gtest.h>

#include <cmath>

#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"
#include "instantgp/base/safetensors.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/gp/sparse_posterior.h"
#include "instantgp/model/fit.h"
#include "tests/model/altered_files.h"

namespace instantgp {
namespace {

Dataset ManyRows(int n, int d) {
  RandomStream random(4);
  Matrix X(n, d);
  Vector y(n);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < d; ++k) X(i, k) = random.Uniform(10.0 * k, 10.0 * k + 5);
    y[i] = 100 + 20 * std::sin(X(i, 0)) + random.Normal();
  }
  return Dataset::Of(X, y);
}

const FitOptions kSvgp = {.method = Method::kSvgp};

TEST(SparseModel, PredictsLikeTheExactOne) {
  const Dataset data = ManyRows(80, 2);
  FitOptions options = kSvgp;
  options.inducing = 20;
  const Model sparse = Fit(data, "SE", options), exact = Fit(data, "SE", {.method = Method::kMl});
  ASSERT_NE(sparse.sparse(), nullptr);
  EXPECT_EQ(exact.sparse(), nullptr);
  EXPECT_EQ(sparse.sparse()->parts().Z.rows(), 20);
  EXPECT_EQ(Fit(data, "SE", kSvgp).sparse()->parts().Z.rows(), 40);
  EXPECT_EQ(sparse.summary().method, "svgp");
  EXPECT_EQ(sparse.summary().nlml, sparse.predictive().nlml());
  EXPECT_GE(sparse.predictive().nlml(), exact.predictive().nlml() - 1e-6);
  EXPECT_NEAR(sparse.Score(data.X, data.y).rmse, exact.Score(data.X, data.y).rmse, 0.3);
  const Matrix some = data.X.topRows(5);
  const Prediction prediction = sparse.Predict(some);
  EXPECT_LT((sparse.PredictCov(some).diagonal().cwiseSqrt() - prediction.std).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_EQ(sparse.Sample(some, 3, 1).cols(), 3);
  EXPECT_EQ(sparse.Parameters().size(), 4U);
}

TEST(SparseModel, WhatItCannotDoIsAnError) {
  const Model sparse = Fit(ManyRows(20, 1), "SE", kSvgp);
  EXPECT_THROW(sparse.posterior(), Error);
  EXPECT_THROW(sparse.Loo(), Error);
}

TEST(SparseModel, LimitsNameTheAlternative) {
  const auto message = [](int n, const FitOptions& options) -> std::string {
    try {
      Fit(Dataset::Of(Matrix::Random(n, 1), Vector::Random(n)), "SE", options);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kLimit);
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message(30000, {.method = Method::kMl}).find("the method svgp with 500 inducing points"),
            std::string::npos);
  EXPECT_NE(message(30000, kSvgp).find("fewer inducing points"), std::string::npos);
  FitOptions small = kSvgp;
  small.inducing = 200;
  EXPECT_LT(EstimateCost(20000, small).bytes, 0.1 * std::pow(2.0, 30));
}

TEST(SparseModelFile, ComesBackBitForBitAndIsCheckedWhole) {
  const Dataset data = ManyRows(12, 2);
  FitOptions options = kSvgp;
  options.inducing = 3;
  options.steps = 5;
  const Model model = Fit(data, "SE*LIN + PER", options);
  const std::string bytes = SerializeModel(model);
  const Model loaded = ParseModel(bytes, "memory");
  EXPECT_EQ(SerializeModel(loaded), bytes);
  EXPECT_EQ(model.Predict(data.X).mean, loaded.Predict(data.X).mean);
  EXPECT_EQ(model.Predict(data.X).std, loaded.Predict(data.X).std);
  EXPECT_EQ(model.predictive().nlml(), loaded.predictive().nlml());

  const TensorFile good = ParseTensors(bytes, "memory");
  testing::ExpectEveryTensorIsChecked(good);
  testing::ExpectEveryIntegerIsChecked(good, "model");
}

}  // namespace
}  // namespace instantgp

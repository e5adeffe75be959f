#include "instantgp/model/model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/base/normal.h"
#include "instantgp/base/rng.h"
#include "instantgp/base/safetensors.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/kernel/expression.h"
#include "instantgp/model/fit.h"

namespace instantgp {
namespace {

Dataset Wave(int n, int d, std::uint64_t seed = 1) {
  RandomStream random(seed);
  Matrix X(n, d);
  Vector y(n);
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int k = 0; k < d; ++k) {
      X(i, k) = random.Uniform(10.0 * k, 10.0 * k + 5);
      sum += std::sin(X(i, k));
    }
    y[i] = 100 + 20 * sum + random.Normal();
  }
  return Dataset::Of(X, y);
}

const FitOptions kMl = {.method = Method::kMl};
const char* kKernels[] = {"SE", "MAT52 + LIN", "SE*LIN + PER", "(SE + LIN)*PER"};

TEST(Fit, PredictsTheFunctionBehindTheData) {
  const Dataset data = Wave(60, 1);
  for (const char* kernel : kKernels) {
    const Model model = Fit(data, kernel, kMl);
    const Scores scores = model.Score(data.X, data.y);
    EXPECT_LT(scores.rmse_standardized, 0.3) << kernel;
    EXPECT_NEAR(scores.rmse, scores.rmse_standardized * model.scaler().y_std, 1e-9);
    EXPECT_GE(scores.coverage95, 0.8);
    EXPECT_LE(model.summary().nlml, model.summary().nlml_start);
    EXPECT_GT(model.summary().evaluations, 0);
    EXPECT_GT(model.summary().time_ms.total, 0);
  }
}

// y -> b y with b a power of two changes no rounding: the scaled problem is the same bit for bit, whatever the
// optimiser does.
TEST(Fit, FollowsABinaryFactorOnTheTargetExactly) {
  const Dataset data = Wave(40, 2);
  Dataset other = data;
  other.y *= 1024;
  for (const char* kernel : kKernels) {
    const Prediction a = Fit(data, kernel, kMl).Predict(data.X), b = Fit(other, kernel, kMl).Predict(data.X);
    EXPECT_EQ(1024 * a.mean, b.mean) << kernel;
    EXPECT_EQ(1024 * a.std, b.std) << kernel;
  }
}

// y -> a + b y in general, for kernels whose likelihood has one optimum here.
TEST(Fit, FollowsAnAffineChangeOfTheTarget) {
  const Dataset data = Wave(40, 2);
  Dataset other = data;
  other.y = (-7e4 + 3e3 * data.y.array()).matrix();
  for (const char* kernel : {"SE", "MAT52 + LIN"}) {
    const Prediction a = Fit(data, kernel, kMl).Predict(data.X), b = Fit(other, kernel, kMl).Predict(data.X);
    EXPECT_LT(((-7e4 + 3e3 * a.mean.array()) - b.mean.array()).abs().maxCoeff(), 3e3 * 1e-3) << kernel;
    EXPECT_LT((3e3 * a.std - b.std).cwiseAbs().maxCoeff(), 3e3 * 1e-2) << kernel;
  }
}

TEST(Fit, FollowsAChangeOfInputUnits) {
  const Dataset data = Wave(40, 2);
  Dataset other = data;
  other.X.col(0) = (1e6 + 1e3 * data.X.col(0).array()).matrix();
  other.X.col(1) *= 1e-5;
  for (const char* kernel : {"SE", "MAT52 + LIN"}) {
    const Prediction a = Fit(data, kernel, kMl).Predict(data.X), b = Fit(other, kernel, kMl).Predict(other.X);
    EXPECT_LT((a.mean - b.mean).cwiseAbs().maxCoeff(), 1e-2) << kernel;
    EXPECT_LT((a.std - b.std).cwiseAbs().maxCoeff(), 1e-2) << kernel;
  }
}

TEST(Fit, ReportsParametersInBothUnits) {
  const Dataset data = Wave(40, 2);
  const Model model = Fit(data, "SE");
  const std::vector<ReportedParameter> report = model.Parameters();
  ASSERT_EQ(report.size(), 4u);
  EXPECT_EQ(report[1].name, "lengthscale");
  EXPECT_EQ(report[1].column, "x1");
  EXPECT_NEAR(report[1].value_original_units, report[1].value * model.scaler().x_range[0], 1e-12);
  const double product = report[0].value_original_units * report[2].value_original_units;
  EXPECT_NEAR(std::sqrt(product), model.AmplitudeOriginalUnits(), 1e-9 * std::sqrt(product));
  EXPECT_NEAR(model.NoiseVarianceOriginalUnits(), model.NoiseVariance() * std::pow(model.scaler().y_std, 2), 1e-12);
}

TEST(Fit, MethodsAreNamedAndEachImprovesOnItsStart) {
  const Dataset data = Wave(30, 1);
  for (Method method :
       {Method::kOneShot, Method::kRefine, Method::kMl, Method::kAdam, Method::kMultiStart, Method::kMap}) {
    EXPECT_EQ(MethodFromName(Name(method)), method);
    FitOptions options;
    options.method = method;
    options.restarts = 3;
    const Model model = Fit(data, "SE", options);
    EXPECT_EQ(model.summary().method, Name(method));
    EXPECT_LE(model.summary().nlml, model.summary().nlml_start);
  }
  EXPECT_FALSE(MethodFromName("fastest").has_value());
}

TEST(Fit, ThreadsDoNotChangeTheResult) {
  const Dataset data = Wave(30, 2);
  FitOptions options;
  options.method = Method::kMultiStart;
  options.restarts = 4;
  const Model one = Fit(data, "SE + LIN", options, {.threads = 1});
  const Model four = Fit(data, "SE + LIN", options, {.threads = 4});
  EXPECT_EQ(one.posterior().theta(), four.posterior().theta());
  EXPECT_EQ(one.Predict(data.X).mean, four.Predict(data.X).mean);
}

// The degenerate tables: each must end in a usable model without a value that is not finite.
TEST(Fit, DegenerateDataGiveDefinedResults) {
  const auto expect_usable = [](const Dataset& data, const char* what) {
    for (const char* kernel : {"SE", "LIN", "PER", "MAT52", "SE*LIN + PER"}) {
      for (const Method method : {Method::kOneShot, Method::kMl}) {
        const Model model = Fit(data, kernel, {.method = method});
        const Prediction p = model.Predict(data.X);
        EXPECT_TRUE(p.mean.allFinite()) << what << " " << kernel;
        EXPECT_TRUE(p.std.allFinite()) << what << " " << kernel;
        EXPECT_GE(p.std.minCoeff(), 0) << what;
      }
    }
  };
  expect_usable(Dataset::Of(Matrix::Constant(1, 1, 3.0), Vector::Constant(1, 5.0)), "one row");
  expect_usable(Dataset::Of((Matrix(2, 1) << 1.0, 2.0).finished(), (Vector(2) << 3.0, 4.0).finished()), "two rows");
  expect_usable(Dataset::Of(Matrix::Constant(10, 2, 4.0), Vector::LinSpaced(10, 0, 1)), "constant columns");
  expect_usable(Dataset::Of(Matrix::Random(10, 2), Vector::Constant(10, 2.5)), "constant target");
  Matrix duplicates(20, 1);
  for (int i = 0; i < 20; ++i) duplicates(i, 0) = i / 10 + 1e-12 * (i % 3);
  expect_usable(Dataset::Of(duplicates, Vector::LinSpaced(20, -1, 1)), "duplicates and near-duplicates");
  Dataset outlier = Wave(20, 1);
  outlier.y[3] = 1e12;
  expect_usable(outlier, "an outlier");
  for (double magnitude : {1e-300, 1e300}) {
    Dataset extreme = Wave(20, 1);
    extreme.X *= magnitude / 100;
    extreme.y *= magnitude / 1e3;
    expect_usable(extreme, "extreme magnitudes");
  }
  expect_usable(Wave(12, 100), "100 columns");
}

TEST(Fit, ConstantTargetPredictsThatValue) {
  const Model model = Fit(Dataset::Of(Matrix::Random(10, 1), Vector::Constant(10, 2.5)), "SE");
  EXPECT_NEAR(model.Predict(Matrix::Constant(1, 1, 0.3)).mean[0], 2.5, 1e-9);
  EXPECT_FALSE(model.warnings().empty());
}

template <typename F>
ErrorCode CodeOf(F f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_GT(std::string(e.what()).size(), 20u);
    return e.code();
  }
  return ErrorCode::kFailure;
}

TEST(Fit, BadRequestsAreTypedErrors) {
  const Dataset data = Wave(10, 2);
  EXPECT_EQ(CodeOf([&] { Fit(data, "SE +"); }), ErrorCode::kBadInput);
  EXPECT_EQ(CodeOf([&] { Fit(data, "SE(nosuch)"); }), ErrorCode::kBadInput);
  const Model model = Fit(data, "SE");
  EXPECT_EQ(CodeOf([&] { model.Predict(Matrix::Zero(2, 3)); }), ErrorCode::kBadInput);
  EXPECT_EQ(CodeOf([&] { model.Predict(Matrix::Constant(2, 2, NAN)); }), ErrorCode::kBadInput);
  FitOptions options;
  options.restarts = 0;
  EXPECT_EQ(CodeOf([&] { Fit(data, "SE", options); }), ErrorCode::kUsage);
  std::stop_source source;
  source.request_stop();
  options.restarts = 1;
  EXPECT_EQ(CodeOf([&] { Fit(data, "SE", options, {.stop = source.get_token()}); }), ErrorCode::kInterrupted);
}

TEST(ModelFile, ComesBackBitForBit) {
  const Dataset data = Wave(25, 2);
  for (const char* kernel : kKernels) {
    const Model model = Fit(data, kernel, kMl);
    const std::string bytes = SerializeModel(model);
    const Model loaded = ParseModel(bytes, "memory");
    EXPECT_EQ(SerializeModel(loaded), bytes);
    const Prediction a = model.Predict(data.X), b = loaded.Predict(data.X);
    EXPECT_EQ(a.mean, b.mean);
    EXPECT_EQ(a.std, b.std);
    EXPECT_EQ(model.KernelText(), loaded.KernelText());
    EXPECT_EQ(model.summary().stop_reason, loaded.summary().stop_reason);
    EXPECT_EQ(model.posterior().nlml(), loaded.posterior().nlml());
  }
}

TEST(ModelFile, EveryTruncationAndEveryFlippedByteIsAnError) {
  const std::string bytes = SerializeModel(Fit(Wave(3, 1), "SE"));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_EQ(CodeOf([&] { ParseModel(bytes.substr(0, length), "cut"); }), ErrorCode::kBadInput) << length;
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 4);
    EXPECT_EQ(CodeOf([&] { ParseModel(changed, "changed"); }), ErrorCode::kBadInput) << i;
  }
}

TEST(ModelFile, ANewerVersionIsRefusedPolitely) {
  TensorFile file = ParseTensors(SerializeModel(Fit(Wave(3, 1), "SE")), "memory");
  file.metadata["version"] = "5.0";
  try {
    ParseModel(SerializeTensors(file), "future.model");
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("newer"), std::string::npos);
  }
}

// A file with a right checksum and wrong contents: sizes, scaling and factor are checked too.
TEST(ModelFile, InconsistentContentsAreErrors) {
  const TensorFile good = ParseTensors(SerializeModel(Fit(Wave(4, 1), "SE")), "memory");
  const auto expect_refused = [](const TensorFile& file) {
    EXPECT_EQ(CodeOf([&] { ParseModel(SerializeTensors(file), "altered"); }), ErrorCode::kBadInput);
  };
  for (const auto& [name, tensor] : good.tensors) {
    TensorFile file = good;
    file.tensors.erase(name);
    expect_refused(file);
    file = good;
    const std::vector<double> longer(static_cast<std::size_t>(tensor.elements()) + 1, 1.0);
    file.tensors[name] = MakeTensor(longer.data(), {tensor.elements() + 1});
    expect_refused(file);
    file = good;
    const std::vector<double> values(static_cast<std::size_t>(tensor.elements()), std::nan(""));
    file.tensors[name] = MakeTensor(values.data(), tensor.shape);
    expect_refused(file);
  }
  for (const char* key : {"format", "version", "model"}) {
    TensorFile file = good;
    file.metadata[key] = "nonsense";
    expect_refused(file);
    file.metadata.erase(key);
    expect_refused(file);
  }
  const double zero = 0;
  TensorFile flat = good;
  flat.tensors["x_range"] = MakeTensor(&zero, {1});
  expect_refused(flat);
}

TEST(Normal, QuantileInvertsTheDistribution) {
  for (double p : {1e-6, 0.01, 0.025, 0.3, 0.5, 0.84, 0.975, 0.999}) {
    EXPECT_NEAR(0.5 * std::erfc(-NormalQuantile(p) / std::sqrt(2.0)), p, 1e-13);
  }
}

}  // namespace
}  // namespace instantgp

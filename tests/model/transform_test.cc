// Models of transformed targets: against a fit of the transformed target by hand, through every method and every way a
// model is used.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"
#include "instantgp/base/safetensors.h"
#include "instantgp/model/explain.h"
#include "instantgp/model/fit.h"
#include "instantgp/model/fit_ensemble.h"
#include "instantgp/model/methods.h"
#include "instantgp/model/update.h"
#include "tests/model/altered_files.h"

namespace instantgp {
namespace {

struct Bend {
  TransformChoice choice;
  std::function<double(double)> forward, inverse, log_slope;
};

const std::vector<Bend>& Bends() {
  static const std::vector<Bend> bends = {
      {TransformChoice::kLog, [](double y) { return std::log(y); }, [](double g) { return std::exp(g); },
       [](double y) { return -std::log(y); }},
      {TransformChoice::kBoxCox, [](double y) { return 2 * std::sqrt(y); },
       [](double g) { return g > 0 ? g * g / 4 : 0; }, [](double y) { return -0.5 * std::log(y); }},
  };
  return bends;
}

// g(y) is a wave with noise, so that y is what the name of g says.
Dataset Waves(int n, const std::function<double(double)>& inverse, std::uint64_t seed, double level = 3) {
  RandomStream random(seed);
  Matrix X(n, 1);
  Vector y(n);
  for (int i = 0; i < n; ++i) {
    X(i, 0) = 10 * random.Uniform();
    y[i] = inverse(level + std::sin(X(i, 0)) + 0.25 * random.Normal());
  }
  return Dataset::Of(std::move(X), std::move(y), {"x"}, "sales");
}

FitOptions OptionsFor(Method method, TransformChoice transform) {
  FitOptions options;
  options.method = method;
  options.transform = transform;
  if (method == Method::kAdam || method == Method::kMultiStart || method == Method::kSvgp) options.steps = 40;
  options.restarts = 2;
  options.inducing = method == Method::kSvgp ? 20 : 0;
  return options;
}

void ExpectNear(const Vector& a, const Vector& b, double tolerance, const std::string& what) {
  ASSERT_EQ(a.size(), b.size());
  for (Index i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance * (1 + std::abs(b[i]))) << what << " " << i;
}

TEST(TransformedModel, EveryMethodIsTheFitOfTheTransformedTarget) {
  for (const Bend& bend : Bends()) {
    const Dataset data = Waves(60, bend.inverse, 1), test = Waves(25, bend.inverse, 2);
    Dataset by_hand = data;
    for (double& y : by_hand.y) y = bend.forward(y);
    for (const MethodInfo& info : Methods()) {
      const std::string what = std::string(info.name) + ", " + std::string(Name(bend.choice));
      const Model model = Fit(data, "SE", OptionsFor(info.method, bend.choice));
      const Model plain = Fit(by_hand, "SE", OptionsFor(info.method, TransformChoice::kNone));
      EXPECT_EQ(Name(model.transform().kind()), Name(bend.choice));
      for (const Noise noise : {Noise::kObserved, Noise::kLatent}) {
        const Prediction made = model.Predict(test.X, noise), hand = plain.Predict(test.X, noise);
        ExpectNear(made.Median(), hand.mean.unaryExpr(bend.inverse), 1e-6, what + " median");
        ExpectNear(made.Lower(0.95), hand.Lower(0.95).unaryExpr(bend.inverse), 1e-6, what + " lower");
        ExpectNear(made.Upper(0.9), hand.Upper(0.9).unaryExpr(bend.inverse), 1e-6, what + " upper");
        ExpectNear(made.Quantile(0.2), hand.Quantile(0.2).unaryExpr(bend.inverse), 1e-6, what + " quantile");
      }
      EXPECT_EQ(model.PredictMean(test.X), model.Predict(test.X).mean);
      // Scores: the density of y is that of g(y) times the slope.
      const Vector bent = test.y.unaryExpr(bend.forward);
      const Scores own = model.Score(test.X, test.y), hand = plain.Score(test.X, bent);
      EXPECT_NEAR(own.nll, hand.nll - test.y.unaryExpr(bend.log_slope).mean(), 1e-6) << what;
      EXPECT_EQ(own.coverage95, hand.coverage95) << what;
      const double spread = std::sqrt((data.y.array() - data.y.mean()).square().mean());
      EXPECT_NEAR(own.nll_standardized, own.nll - std::log(spread), 1e-12) << what;
      EXPECT_NEAR(own.rmse, (test.y - model.Predict(test.X).mean).norm() / 5, 1e-12) << what;
      EXPECT_NEAR(own.rmse_standardized, own.rmse / spread, 1e-12) << what;
      // Files and copies.
      const std::string bytes = SerializeModel(model);
      const Model loaded = ParseModel(bytes, "memory");
      EXPECT_EQ(SerializeModel(loaded), bytes) << what;
      EXPECT_EQ(loaded.Predict(test.X).mean, model.Predict(test.X).mean) << what;
      EXPECT_EQ(loaded.Predict(test.X).Median(), model.Predict(test.X).Median()) << what;
      // Updates with the parameters kept: the same rows by hand.
      const UpdateOptions keep{.reinfer = Reinfer::kNever};
      const Model longer = Update(model, test.X, test.y, keep).model;
      const Model longer_by_hand = Update(plain, test.X, bent, keep).model;
      ExpectNear(longer.Predict(test.X).Median(), longer_by_hand.Predict(test.X).mean.unaryExpr(bend.inverse), 1e-6,
                 what + " updated");
      EXPECT_EQ(longer.rows(), 85);
      EXPECT_EQ(longer.transform(), model.transform());
    }
  }
}

TEST(TransformedModel, MomentsAreThoseOfItsSamples) {
  for (const Bend& bend : Bends()) {
    const Dataset data = Waves(50, bend.inverse, 3);
    const Model model = Fit(data, "SE", {.transform = bend.choice});
    const Matrix X = (Matrix(3, 1) << 1, 1.2, 12).finished();
    constexpr int kCount = 40000;
    const Matrix samples = model.Sample(X, kCount, 5);
    const Prediction prediction = model.Predict(X);
    const Matrix centred = samples.colwise() - samples.rowwise().mean();
    const Matrix cov = centred * centred.transpose() / kCount, own = model.PredictCov(X);
    for (Index i = 0; i < 3; ++i) {
      EXPECT_NEAR(samples.row(i).mean(), prediction.mean[i], 0.04 * prediction.std[i]) << Name(bend.choice);
      EXPECT_NEAR(std::sqrt(own(i, i)) / prediction.std[i], 1, 1e-6);
      EXPECT_NEAR((samples.row(i).array() < prediction.Lower(0.9)[i]).cast<double>().mean(), 0.05, 0.01);
      EXPECT_NEAR((samples.row(i).array() < prediction.Median()[i]).cast<double>().mean(), 0.5, 0.02);
    }
    // Averaged over several sets of parameters the joint samples are no Gaussian's; their moments are nearly.
    EXPECT_NEAR(cov(0, 1) / own(0, 1), 1, 0.12) << Name(bend.choice);
  }
}

TEST(TransformedModel, LeftOutRowsAreScoredInTheirOwnUnits) {
  for (const Bend& bend : Bends()) {
    const Dataset data = Waves(40, bend.inverse, 4);
    Dataset by_hand = data;
    for (double& y : by_hand.y) y = bend.forward(y);
    const LeaveOneOut own = Fit(data, "SE", {.method = Method::kMl, .transform = bend.choice}).Loo();
    const LeaveOneOut hand = Fit(by_hand, "SE", {.method = Method::kMl}).Loo();
    EXPECT_NEAR(own.nll, hand.nll - data.y.unaryExpr(bend.log_slope).mean(), 1e-8);
    EXPECT_GT(own.mean.minCoeff(), 0);
  }
}

// Nothing but the target is told apart: what is drawn under a transform speaks for it.
TEST(TransformedModel, AutoFindsTheTransformTheTargetsWereDrawnUnder) {
  const auto identity = [](double g) { return g; };
  for (const Method method : {Method::kOneShot, Method::kRefine, Method::kMl, Method::kSvgp, Method::kNeighbours}) {
    FitOptions options = OptionsFor(method, TransformChoice::kAuto);
    for (const std::uint64_t seed : {11u, 12u}) {
      const Model log = Fit(Waves(150, Bends()[0].inverse, seed), "SE", options);
      EXPECT_EQ(log.transform().kind(), TransformKind::kLog) << Name(method);
      ASSERT_EQ(log.summary().transforms.size(), 3u);
      const Model none = Fit(Waves(150, identity, seed, 2.2), "SE", options);
      EXPECT_EQ(none.transform().kind(), TransformKind::kNone) << Name(method);
    }
  }
  // Where the transforms are as good as straight, nothing speaks for one.
  const auto high = [](double g) { return 100 + g; };
  for (const std::uint64_t seed : {21u, 22u, 23u, 24u}) {
    EXPECT_TRUE(Fit(Waves(100, high, seed), "SE", {.transform = TransformChoice::kAuto}).transform().none()) << seed;
  }
  // Its evidence is in units of y, whatever they are: thousands instead of ones cost every transform the same.
  const Dataset data = Waves(60, Bends()[0].inverse, 7);
  Dataset thousands = data;
  thousands.y *= 1000;
  const auto tried = Fit(data, "SE", {.method = Method::kMl, .transform = TransformChoice::kAuto}).summary().transforms;
  const auto again =
      Fit(thousands, "SE", {.method = Method::kMl, .transform = TransformChoice::kAuto}).summary().transforms;
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(again[k].second, tried[k].second - 60 * std::log(1000), 1e-3);
}

TEST(TransformedModel, AutoTriesWhatTheValuesAllow) {
  Dataset data = Waves(30, Bends()[1].inverse, 8);
  data.y[3] = 0;
  const auto kinds = [](const Model& model) {
    std::string names;
    for (const auto& [kind, evidence] : model.summary().transforms) names += std::string(Name(kind)) + " ";
    return names;
  };
  const FitOptions automatic{.transform = TransformChoice::kAuto};
  EXPECT_EQ(kinds(Fit(data, "SE", automatic)), "none boxcox ");
  data.y[3] = -1;
  EXPECT_EQ(kinds(Fit(data, "SE", automatic)), "none ");
  data.y.setConstant(5);
  EXPECT_NEAR(Fit(data, "SE", automatic).Predict(data.X).mean[0], 5, 1e-9);
  data.y.setZero();
  EXPECT_EQ(kinds(Fit(data, "SE", automatic)), "none ");
}

TEST(TransformedModel, ValuesThatDoNotAllowItAreRefusedWithAReason) {
  const auto refused = [](const Dataset& data, TransformChoice choice) {
    try {
      Fit(data, "SE", {.transform = choice});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadInput);
      return std::string(error.what()) + " | " + error.remedies().at(0).option + " " + error.remedies().at(0).value;
    }
    return std::string("accepted");
  };
  Dataset data = Waves(20, Bends()[0].inverse, 9);
  data.y[6] = 0;
  const std::string zero = refused(data, TransformChoice::kLog);
  EXPECT_NE(zero.find("'sales' is 0 in row 7"), std::string::npos) << zero;
  EXPECT_NE(zero.find("| transform boxcox"), std::string::npos) << zero;
  EXPECT_EQ(refused(data, TransformChoice::kBoxCox), "accepted");
  data.y[11] = -2.5;
  const std::string negative = refused(data, TransformChoice::kBoxCox);
  EXPECT_NE(negative.find("'sales' is -2.5 in row 12"), std::string::npos) << negative;
  EXPECT_NE(negative.find("| transform none"), std::string::npos) << negative;

  const Dataset good = Waves(20, Bends()[0].inverse, 9);
  const Model model = Fit(good, "SE", {.transform = TransformChoice::kLog});
  EXPECT_THROW(Update(model, good.X.topRows(1), Vector::Constant(1, -1)), Error);
  // A target beyond the domain has the density 0.
  const Scores scores = model.Score(good.X.topRows(2), (Vector(2) << good.y[0], -1).finished());
  EXPECT_EQ(scores.nll, INFINITY);
  EXPECT_TRUE(std::isfinite(scores.rmse));
  EXPECT_LE(scores.coverage95, 0.5);

  Session session;
  const FitOptions log{.transform = TransformChoice::kLog};
  EXPECT_THROW(session.Fit(session.Encode(good), "SE", log), Error);
  EnsembleOptions ensemble;
  ensemble.fit = log;
  const std::vector<std::string> kernels = {"SE", "LIN"};
  EXPECT_THROW(FitEnsemble(good, kernels, ensemble), Error);
  ensemble.fit.method = Method::kMl;
  EXPECT_THROW(FitEnsemble(good, kernels, ensemble), Error);
}

TEST(TransformedModel, ReinferenceKeepsTheTransform) {
  const Dataset data = Waves(60, Bends()[0].inverse, 13), more = Waves(30, Bends()[0].inverse, 14);
  for (const Method method : {Method::kOneShot, Method::kMl}) {
    const Model model = Fit(data, "SE", {.method = method, .transform = TransformChoice::kAuto});
    const UpdateResult result = Update(model, more.X, more.y, {.reinfer = Reinfer::kAlways});
    EXPECT_TRUE(result.reinferred);
    EXPECT_EQ(result.model.transform().kind(), TransformKind::kLog);
    const Scores scores = result.model.Score(more.X, more.y);
    EXPECT_LT(scores.nll_standardized, 1.2);
    EXPECT_GT(scores.coverage95, 0.8);
  }
}

TEST(TransformedModel, ComponentsAddUpToTheTransform) {
  const Dataset data = Waves(60, Bends()[0].inverse, 15);
  const Model model = Fit(data, "SE + LIN", {.transform = TransformChoice::kLog});
  const Explanation explanation = Explain(model);
  EXPECT_EQ(explanation.transform, TransformKind::kLog);
  Vector sum = Vector::Constant(data.rows(), model.scaler().y_mean);
  for (const Component& component : explanation.components) sum += PredictComponent(model, component, data.X).mean;
  ExpectNear(sum.array().exp(), model.Predict(data.X).Median(), 1e-8, "components");
  EXPECT_EQ(Explain(Fit(data, "SE")).transform, TransformKind::kNone);
}

TEST(TransformedModel, FilesAreOfTheirOwnVersionAndChecked) {
  const Dataset data = Waves(5, Bends()[0].inverse, 16);
  const Model plain = Fit(data, "SE", {.method = Method::kMl});
  EXPECT_EQ(ParseTensors(SerializeModel(plain), "m").metadata.at("version"), "1.2");
  const TensorFile log =
      ParseTensors(SerializeModel(Fit(data, "SE", {.method = Method::kMl, .transform = TransformChoice::kLog})), "m");
  EXPECT_EQ(log.metadata.at("version"), "4.0");
  testing::ExpectEveryTensorIsChecked(log);
  TensorFile unknown = log;
  std::string& meta = unknown.metadata.at("model");
  meta.replace(meta.find("\"log\""), 5, "\"exp\"");
  EXPECT_THROW(ParseModel(SerializeTensors(unknown), "unknown"), Error);
  for (const double least : {0.0, -1.0, 1e9}) {
    TensorFile wrong = log;
    const double parts[] = {0, least, 10};
    wrong.tensors["transform"] = MakeTensor(parts, {3});
    EXPECT_THROW(ParseModel(SerializeTensors(wrong), "wrong"), Error) << least;
  }
}

// Without a transform every number is what it was before there were any.
TEST(TransformedModel, NoneIsTheDefault) {
  const Dataset data = Waves(40, Bends()[0].inverse, 17);
  for (const MethodInfo& info : Methods()) {
    FitOptions options = OptionsFor(info.method, TransformChoice::kNone);
    const Model model = Fit(data, "SE", options);
    const Prediction p = model.Predict(data.X);
    EXPECT_EQ(p.transformed_mean.size(), 0);
    EXPECT_EQ(p.Median(), p.mean);
    EXPECT_EQ(model.LogUnit(), std::log(model.scaler().y_std));
    EXPECT_EQ(SerializeModel(model).find("\"transform\""), std::string::npos);
  }
}

}  // namespace
}  // namespace instantgp

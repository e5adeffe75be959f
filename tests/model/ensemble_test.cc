#include "instantgp/model/ensemble.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/inference/embedded_weights.h"
#include "instantgp/inference/trained_network.h"
#include "instantgp/model/fit.h"
#include "instantgp/model/fit_ensemble.h"
#include "instantgp/network/network.h"
#include "instantgp/network/weights.h"
#include "tests/support/tables.h"

namespace instantgp {
namespace {

const std::vector<std::string> kFew = {"SE", "LIN + PER", "MAT52", "SE*LIN", "SE + PER*MAT52"};

double WeightSum(const Ensemble& ensemble) {
  double sum = 0;
  for (const EnsembleMember& member : ensemble.members()) sum += member.weight;
  return sum;
}

void ExpectSame(const Ensemble& a, const Ensemble& b) {
  ASSERT_EQ(a.members().size(), b.members().size());
  for (std::size_t k = 0; k < a.members().size(); ++k) {
    EXPECT_EQ(a.members()[k].model.KernelText(), b.members()[k].model.KernelText());
    EXPECT_EQ(a.members()[k].weight, b.members()[k].weight);
    EXPECT_EQ(a.members()[k].model.posterior().theta(), b.members()[k].model.posterior().theta());
    EXPECT_EQ(a.members()[k].model.posterior().L(), b.members()[k].model.posterior().L());
  }
}

TEST(Ensemble, OfOneIsTheSingleModel) {
  const Dataset data = testing::DrawTable(60, 2, 77, 1), other = testing::DrawTable(25, 2, 77, 2);
  for (const Method method : {Method::kOneShot, Method::kRefine, Method::kMl}) {
    const FitOptions fit = {.method = method, .steps = method == Method::kOneShot ? 0 : 5};
    for (const std::string& kernel : kFew) {
      const Model model = Fit(data, kernel, fit);
      const Prediction single = model.Predict(other.X);
      for (const Weighting weighting : {Weighting::kBma, Weighting::kLoo}) {
        const Ensemble ensemble = FitEnsemble(data, {{kernel}}, {.fit = fit, .weighting = weighting});
        const Mixture mixture = ensemble.Predict(other.X);
        const auto near = [](const Vector& a, const Vector& b) {
          EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-12 * (1 + b.cwiseAbs().maxCoeff()));
        };
        near(mixture.Mean(), single.mean);
        near(mixture.Std(), single.std);
        near(mixture.Quantile(0.975), single.Upper(0.95));
        near(mixture.Quantile(0.25), single.Lower(0.5));
        const Scores a = ensemble.Score(other.X, other.y), b = model.Score(other.X, other.y);
        EXPECT_NEAR(a.nll, b.nll, 1e-12 * (1 + std::abs(b.nll)));
        EXPECT_NEAR(a.rmse, b.rmse, 1e-12 * b.rmse);
        EXPECT_EQ(a.coverage95, b.coverage95);
        EXPECT_EQ(ensemble.EffectiveMembers(), 1);
        EXPECT_LT((ensemble.PredictCov(other.X) - model.PredictCov(other.X)).norm(), 1e-12 * data.y.squaredNorm());
      }
    }
  }
}

// Decoding in a batch sums in another order than decoding alone: equal to the float's rounding.
TEST(Ensemble, BatchEqualsLoop) {
  const Dataset data = testing::DrawTable(50, 3, 77, 3);
  Session session;
  const Encoding encoding = session.Encode(data);
  const std::vector<std::string> kernels = BuiltInKernels();
  ASSERT_EQ(kernels.size(), 24u);
  const Ensemble ensemble = FitEnsemble(session, encoding, kernels);
  ASSERT_EQ(ensemble.members().size(), kernels.size());
  for (const EnsembleMember& member : ensemble.members()) {
    const Model alone = session.Fit(encoding, member.model.KernelText());
    EXPECT_LT((alone.posterior().theta() - member.model.posterior().theta()).cwiseAbs().maxCoeff(), 2e-5);
    EXPECT_NEAR(alone.summary().nlml, member.model.summary().nlml, 1e-6);
  }
}

TEST(Ensemble, NeitherOrderNorThreadsMatter) {
  const Dataset data = testing::DrawTable(70, 2, 77, 4);
  for (const Method method : {Method::kOneShot, Method::kRefine}) {
    for (const Weighting weighting : {Weighting::kBma, Weighting::kTempered, Weighting::kLoo, Weighting::kUniform}) {
      const EnsembleOptions options{.fit = {.method = method, .steps = 3}, .weighting = weighting};
      const Ensemble one = FitEnsemble(data, kFew, options, {.threads = 1});
      EXPECT_NEAR(WeightSum(one), 1, 1e-12);
      std::vector<std::string> turned(kFew.rbegin(), kFew.rend());
      std::swap(turned[0], turned[2]);
      const Ensemble other = FitEnsemble(data, turned, options, {.threads = 4});
      ExpectSame(one, other);
      ThreadPool pool(3);
      EXPECT_EQ(one.Predict(data.X).Mean(), other.Predict(data.X, Noise::kObserved, &pool).Mean());
    }
  }
}

TEST(Ensemble, WeightsFollowTheirRule) {
  const Dataset data = testing::DrawTable(40, 1, 77, 5);
  const auto lml = [](const EnsembleMember& m) { return m.model.posterior().log_marginal_likelihood(); };
  const Ensemble bma = FitEnsemble(data, kFew);
  const Ensemble tempered = FitEnsemble(data, kFew, {.weighting = Weighting::kTempered, .temperature = 10});
  for (const auto& [ensemble, temperature] : {std::pair{&bma, 1.0}, {&tempered, 10.0}}) {
    const auto& members = ensemble->members();
    for (std::size_t k = 1; k < members.size(); ++k) {
      EXPECT_GE(members[k - 1].weight, members[k].weight);
      EXPECT_NEAR(members[k].weight, members[0].weight * std::exp((lml(members[k]) - lml(members[0])) / temperature),
                  1e-12);
    }
  }
  const Ensemble uniform = FitEnsemble(data, kFew, {.weighting = Weighting::kUniform});
  EXPECT_NEAR(uniform.EffectiveMembers(), 5, 1e-12);
  // Stacked left-out predictions are at least as good as those of any member.
  const Ensemble stacked = FitEnsemble(data, kFew, {.weighting = Weighting::kLoo});
  const auto loo_nll = [&](const Vector& weights) {
    Matrix means(data.rows(), weights.size()), stds(data.rows(), weights.size());
    for (Index k = 0; k < weights.size(); ++k) {
      const LeaveOneOut loo = stacked.members()[k].model.Loo();
      means.col(k) = loo.mean;
      stds.col(k) = loo.variance.cwiseSqrt();
    }
    return -Mixture(weights, means, stds).LogDensity(data.y).mean();
  };
  Vector weights(5);
  for (Index k = 0; k < 5; ++k) weights[k] = stacked.members()[k].weight;
  for (Index k = 0; k < 5; ++k) EXPECT_LE(loo_nll(weights), loo_nll(Vector::Unit(5, k)) + 1e-4);
}

TEST(Ensemble, MixesMomentsAndSamplesExactly) {
  const Dataset data = testing::DrawTable(30, 2, 77, 6), at = testing::DrawTable(5, 2, 77, 7);
  const Ensemble ensemble = FitEnsemble(data, kFew, {.weighting = Weighting::kUniform});
  const Mixture mixture = ensemble.Predict(at.X);
  const Matrix cov = ensemble.PredictCov(at.X);
  EXPECT_LT((cov.diagonal().cwiseSqrt() - mixture.Std()).norm(), 1e-9);
  const Matrix samples = ensemble.Sample(at.X, 20000, 3);
  const Vector mean = samples.rowwise().mean();
  const Matrix centred = samples.colwise() - mean;
  EXPECT_LT((mean - mixture.Mean()).norm(), 0.05 * mixture.Std().norm());
  EXPECT_LT((centred * centred.transpose() / 20000 - cov).norm(), 0.08 * cov.norm());
  EXPECT_EQ(samples, ensemble.Sample(at.X, 20000, 3));
}

// A network whose answer for PER is not a number: the members that ask for it cannot be factorised.
TrainedNetwork WithoutPeriods() {
  NetworkWeights weights = ParseWeights(EmbeddedWeights(), "the embedded weights");
  const Network<float> network{NetworkConfig(weights.config)};
  bool found = false;
  for (const WeightTensor& tensor : network.tensors()) {
    if (tensor.name != "head.PER.0.bias" && tensor.name != "head.PER.1.bias") continue;
    found = true;
    for (std::size_t i = 0; i < static_cast<std::size_t>(tensor.rows) * tensor.cols; ++i) {
      weights.values[tensor.offset + i] = std::numeric_limits<float>::quiet_NaN();
    }
  }
  EXPECT_TRUE(found);
  return TrainedNetwork(std::move(weights));
}

TEST(Ensemble, DropsAMemberThatFailsAndSaysSo) {
  const TrainedNetwork network = WithoutPeriods();
  const Dataset data = testing::DrawTable(40, 2, 77, 8);
  const SessionOptions session = {.network = &network};
  const Ensemble ensemble = FitEnsemble(data, kFew, {}, session);
  ASSERT_EQ(ensemble.failed().size(), 1u);
  EXPECT_EQ(ensemble.failed()[0].kernel, "(LIN(x1) + PER(x1)) * (LIN(x2) + PER(x2))");
  ASSERT_EQ(ensemble.warnings().size(), 1u);
  EXPECT_NE(ensemble.warnings()[0].find("(LIN(x1) + PER(x1)) * (LIN(x2) + PER(x2)) was left out"), std::string::npos);
  EXPECT_NEAR(WeightSum(ensemble), 1, 1e-12);
  std::vector<std::string> rest = kFew;
  std::erase(rest, "LIN + PER");
  const Ensemble without = FitEnsemble(data, rest, {}, session);
  ASSERT_EQ(ensemble.members().size(), without.members().size());
  for (std::size_t k = 0; k < without.members().size(); ++k) {
    EXPECT_NEAR(ensemble.members()[k].weight, without.members()[k].weight, 1e-4);
  }
  try {
    FitEnsemble(data, {{"PER"}}, {}, session);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNumerical);
  }
}

TEST(Ensemble, BadRequestsAreErrors) {
  const Dataset data = testing::DrawTable(20, 2, 77, 9);
  const auto code = [&](const std::vector<std::string>& kernels, const EnsembleOptions& options = {}) {
    try {
      FitEnsemble(data, kernels, options);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::kFailure;
  };
  EXPECT_EQ(code({}), ErrorCode::kUsage);
  EXPECT_EQ(code({"SE", "SEE"}), ErrorCode::kBadInput);
  EXPECT_EQ(code({"SE", "SE(x1) + SE(x2)"}), ErrorCode::kBadInput);
  EXPECT_EQ(code({"SE"}, {.temperature = -1}), ErrorCode::kUsage);
  const Ensemble twice = FitEnsemble(data, {{"SE", "RBF", "LIN"}});
  EXPECT_EQ(twice.members().size(), 2u);
  EXPECT_EQ(twice.warnings().size(), 1u);
  const Ensemble ml = FitEnsemble(data, {{"SE(x1) + SE(x2)"}}, {.fit = {.method = Method::kMl, .steps = 5}});
  EXPECT_EQ(ml.members().size(), 1u);
}

TEST(Ensemble, IsSavedAndLoadedBitForBit) {
  const Dataset data = testing::DrawTable(30, 2, 77, 10);
  const Ensemble ensemble = FitEnsemble(data, kFew, {.weighting = Weighting::kTempered});
  const std::string bytes = SerializeEnsemble(ensemble);
  const Ensemble loaded = ParseEnsemble(bytes, "memory");
  ExpectSame(ensemble, loaded);
  EXPECT_EQ(loaded.summary().weighting, Weighting::kTempered);
  EXPECT_EQ(loaded.summary().temperature, ensemble.summary().temperature);
  EXPECT_EQ(SerializeEnsemble(loaded), bytes);
  EXPECT_EQ(ensemble.Predict(data.X).Quantile(0.3), loaded.Predict(data.X).Quantile(0.3));
  RandomStream random(1);
  for (int trial = 0; trial < 200; ++trial) {
    std::string damaged = bytes;
    if (trial % 2 == 0) {
      damaged.resize(random.UniformInt(0, static_cast<int>(bytes.size()) - 1));
    } else {
      damaged[random.UniformInt(0, static_cast<int>(bytes.size()) - 1)] ^= 1 << random.UniformInt(0, 7);
    }
    EXPECT_THROW(ParseEnsemble(damaged, "damaged"), Error);
  }
  EXPECT_THROW(ParseEnsemble(SerializeModel(ensemble.members()[0].model), "a model"), Error);
  EXPECT_THROW(ParseModel(bytes, "an ensemble"), Error);
}

}  // namespace
}  // namespace instantgp

#include "instantgp/model/explain.h"

#include <gtest/gtest.h>

#include "instantgp/base/error.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/model/fit.h"
#include "tests/support/tables.h"

namespace instantgp {
namespace {

// Over random structures: means add up to the latent mean, shares to 1, and a lone component is the whole.
TEST(Explain, ComponentsAddUp) {
  for (int k = 0; k < 40; ++k) {
    const Simulated s = testing::DrawPositive(30, 91, k);
    const int d = static_cast<int>(s.X.cols());
    const Model model(Posterior(ToExpression(s.truth), s.X, s.y, s.theta), Scaler::Identity(d), DefaultColumnNames(d),
                      "y", FitSummary(), {});
    const Explanation explanation = Explain(model);
    int count = 1;
    for (const auto& symbols : s.truth.symbols) count *= static_cast<int>(symbols.size());
    EXPECT_EQ(static_cast<int>(explanation.components.size()) + explanation.left_out, count);
    double total = explanation.residual_share + explanation.left_out_share;
    Vector mean = Vector::Zero(25);
    const Matrix X = Matrix::Random(25, d);
    for (const Component& component : explanation.components) {
      total += component.share;
      mean += PredictComponent(model, component, X).mean;
    }
    EXPECT_NEAR(total, 1, 1e-6);
    if (explanation.left_out == 0) {
      const Prediction whole = model.Predict(X, Noise::kLatent);
      EXPECT_LT((mean - whole.mean).cwiseAbs().maxCoeff(), 1e-6 * (1 + whole.mean.cwiseAbs().maxCoeff()));
      if (count == 1) {
        const Prediction alone = PredictComponent(model, explanation.components[0], X);
        EXPECT_LT((alone.std - whole.std).cwiseAbs().maxCoeff(), 1e-9);
      }
    }
  }
}

TEST(Explain, SaysWhatMadeTheData) {
  Matrix X(120, 2);
  Vector y(120);
  RandomStream random(6);
  for (int i = 0; i < 120; ++i) {
    X(i, 0) = 10 * random.Uniform();
    X(i, 1) = random.Uniform();
    y[i] = 100 + 2 * X(i, 0) + std::sin(2 * 3.14159265 * X(i, 0)) + 0.05 * random.Normal();
  }
  const Model model = Fit(Dataset::Of(X, y), "LIN(x1) + PER(x1) + SE(x2)", {.method = Method::kMultiStart});
  const Explanation explanation = Explain(model);
  ASSERT_EQ(explanation.components.size(), 3u);
  EXPECT_EQ(explanation.components[0].text, "LIN(x1)");
  EXPECT_EQ(explanation.components[0].columns, std::vector<int>{0});
  EXPECT_NEAR(explanation.components[0].share, 1, 0.1);
  EXPECT_NEAR(explanation.components[0].std, 2 * 10 / std::sqrt(12), 0.6);
  EXPECT_LT(explanation.residual_share, 0.01);
  const Model small = Fit(Dataset::Of(X, y), "SE(x2)", {.method = Method::kMl, .steps = 1});
  EXPECT_THROW(PredictComponent(small, explanation.components.back(), X), Error);  // of another model
}

TEST(Explain, SparseModelsAndHugeKernels) {
  const Dataset data = testing::DrawTable(20, 8, 92, 1);
  EXPECT_THROW(Explain(Fit(data, "SE", {.method = Method::kSvgp, .steps = 2, .inducing = 5})), Error);
  const Explanation explanation = Explain(Fit(data, "SE + LIN", {.method = Method::kMl, .steps = 3}));
  EXPECT_EQ(explanation.components.size(), 64u);
  EXPECT_EQ(explanation.left_out, 256 - 64);
}

}  // namespace
}  // namespace instantgp

#include "instantgp/search/evidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "instantgp/base/rng.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/model/fit.h"
#include "tests/support/kernel_text.h"
#include "tests/support/tables.h"

namespace instantgp {
namespace {

TEST(Evidence, CountsWhatTheDataDetermine) {
  const auto count = [](const char* text, int d) { return IdentifiableParameters(testing::StructureOf(text, d)); };
  EXPECT_EQ(count("SE", 1), 3);        // amplitude, lengthscale, noise
  EXPECT_EQ(count("SE*PER", 1), 5);    // amplitude, two lengthscales, period, noise
  EXPECT_EQ(count("LIN", 1), 3);       // variance, offset, noise
  EXPECT_EQ(count("SE + LIN", 1), 5);  // two amplitudes, lengthscale, offset, noise
  EXPECT_EQ(count("SE", 3), 5);        // amplitude, three lengthscales, noise
  EXPECT_EQ(count("SE + LIN", 2), 8);
}

// Along one parameter the approximation can be integrated.
TEST(Evidence, LaplaceApproximatesTheIntegralOverParameters) {
  SimulationOptions options;
  options.n = 60;
  options.structure = testing::StructureOf("SE", 1);
  const Simulated s = Simulate(options, 3, 1);
  const Expression expression = ToExpression(*options.structure);
  const Covariance covariance(expression);
  const ParameterTable table(expression);
  const Model model = Fit(Dataset::Of(s.X, s.y), "SE", {.method = Method::kMap});
  const Matrix& X = model.posterior().X();
  const Vector& y = model.posterior().y();
  const Vector mode = model.posterior().theta();
  // Importance sampling around the mode, wide.
  RandomStream random(4);
  NlmlWorkspace workspace;
  const double spread = 0.6, n = static_cast<double>(y.size());
  std::vector<double> terms;
  for (int k = 0; k < 8000; ++k) {
    Vector u = mode;
    double log_weight = 0;
    for (Index i = 0; i < 3; ++i) {
      const double z = random.Normal();
      u[i] += spread * z;
      const GammaPrior prior = i == 2 ? NoisePrior() : table[i].prior;
      log_weight +=
          prior.LogDensity(u[i]) + u[i] + 0.5 * z * z + 0.5 * std::log(2 * std::numbers::pi) + std::log(spread);
    }
    const NlmlValue value = NegativeLogMarginalLikelihood(covariance, X, y, u, nullptr, workspace);
    if (value.ok) terms.push_back(log_weight - n * value.nlml);
  }
  const double largest = *std::max_element(terms.begin(), terms.end());
  double sum = 0;
  for (const double term : terms) sum += std::exp(term - largest);
  const double truth = -(largest + std::log(sum / 8000)) / n;
  const std::optional<double> laplace = LaplaceScore(covariance, X, y, mode);
  ASSERT_TRUE(laplace.has_value());
  EXPECT_NEAR(*laplace, truth, 0.01);
}

// Where an optimiser stopped short the slope is large and the curvature may be small: that must not look like evidence.
TEST(Evidence, APointAwayFromTheModeIsNoBetterThanTheMode) {
  for (int k = 0; k < 20; ++k) {
    const Simulated s = testing::DrawSimulated(60, 1, 12, k, 1);
    const Covariance covariance(ToExpression(s.given));
    const Model model = Fit(Dataset::Of(s.X, s.y), Print(ToExpression(s.given), {"x1"}), {.method = Method::kMap});
    const Matrix& X = model.posterior().X();
    const Vector& y = model.posterior().y();
    const std::optional<double> mode = LaplaceScore(covariance, X, y, model.posterior().theta());
    if (!mode) continue;
    for (const double away : {-1.0, 1.0, 2.0}) {
      const Vector theta = model.posterior().theta().array() + away;
      const std::optional<double> score = LaplaceScore(covariance, X, y, theta);
      EXPECT_TRUE(!score || *score > *mode - 0.1) << k << " " << away;
    }
  }
}

}  // namespace
}  // namespace instantgp

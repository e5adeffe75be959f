// The likelihood on a grid against the general code, with and without gaps.
#include "instantgp/forecast/grid_likelihood.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "instantgp/base/rng.h"
#include "instantgp/forecast/series_kernel.h"
#include "instantgp/gp/marginal_likelihood.h"

namespace instantgp {
namespace {

TEST(GridLikelihoodTest, IsTheGeneralLikelihood) {
  RandomStream random(1);
  std::vector<std::string> kernels = {"SE",
                                      "MAT52",
                                      "MAT12",
                                      "LIN",
                                      "WIE",
                                      "IOU",
                                      "BIAS",
                                      "PER(period=1)",
                                      "SE*PER(period=1)",
                                      "PER(period=0.25)*PER(period=1)",
                                      "BIAS + SE*PER(period=0.25) + SE*PER(period=0.25)*PER(period=1)",
                                      "SE*PER(period=1) + SE*PER(period=0.3) + BIAS + LIN + WIE"};
  const std::vector<std::string> levels = {"LIN + SE", "LIN + MAT52", "LIN + WIE", "BIAS + IOU + MAT12"};
  for (const std::string& level : levels) kernels.push_back(level + " + SE*PER(period=1) + PER(period=0.25)");
  for (const std::string& text : kernels) {
    for (const bool gaps : {false, true}) {
      const SeriesKernel kernel = SeriesKernelOf(text);
      std::vector<int> times = {0};
      while (times.size() < 25) times.push_back(times.back() + (gaps ? random.UniformInt(1, 3) : 1));
      Matrix X(25, 1);
      Vector z(25);
      for (Index i = 0; i < 25; ++i) {
        X(i, 0) = times[static_cast<std::size_t>(i)] / 12.0;
        z[i] = random.Normal();
      }
      LogParameters theta = Vector(static_cast<Index>(kernel.priors.size()));
      for (Index i = 0; i < theta.size(); ++i) theta[i] = random.Uniform(-2, 1);
      theta = kernel.fixed.Held(theta);

      GridLikelihood grid(kernel.expression, times, 12);
      double nlml = 0;
      Vector gradient, expected_gradient;
      Matrix curvature, expected_curvature;
      ASSERT_TRUE(grid.Value(theta, z, &nlml)) << text;
      ASSERT_TRUE(grid.Slopes(&gradient, &curvature)) << text;

      const Covariance covariance(kernel.expression);
      NlmlWorkspace workspace;
      const NlmlValue value = NegativeLogMarginalLikelihood(covariance, X, z, theta, nullptr, workspace);
      ASSERT_TRUE(value.ok);
      ASSERT_TRUE(NlmlGradient(covariance, X, theta, nullptr, workspace, &expected_gradient, &expected_curvature));
      kernel.fixed.Hold(expected_gradient, &expected_curvature);
      kernel.fixed.Hold(gradient, &curvature);
      EXPECT_NEAR(nlml, value.nlml, 1e-10 * (1 + std::abs(value.nlml))) << text;
      EXPECT_LT((gradient - expected_gradient).cwiseAbs().maxCoeff(), 1e-9 * (1 + gradient.cwiseAbs().maxCoeff()))
          << text;
      EXPECT_LT((curvature - expected_curvature).cwiseAbs().maxCoeff(), 1e-9 * (1 + curvature.cwiseAbs().maxCoeff()))
          << text;
    }
  }
}

}  // namespace
}  // namespace instantgp

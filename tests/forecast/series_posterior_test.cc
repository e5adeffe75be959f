// What a forecast maximises: slopes against differences, and steps that go up.
#include "instantgp/forecast/series_posterior.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "instantgp/base/rng.h"

namespace instantgp {
namespace {

TEST(SeriesPosteriorTest, SlopesAreThoseOfTheValueAndFixedRowsStay) {
  RandomStream random(1);
  for (const Level level : AllLevels()) {
    for (const std::vector<double>& seasons : {std::vector<double>{}, {1.0}, {1.0, 0.25}}) {
      const SeriesKernel kernel = MakeSeriesKernel(level, seasons);
      std::vector<int> times;
      Vector z(30);
      for (int i = 0; i < 30; ++i) {
        times.push_back(i);
        z[i] = random.Normal();
      }
      GridLikelihood likelihood(kernel.expression, times, 12);
      SeriesPosterior posterior(kernel, likelihood, z);
      Vector theta = posterior.Start();
      ASSERT_EQ(theta.size(), likelihood.num_parameters() + 1);
      for (Index i = 0; i < theta.size(); ++i) theta[i] += 0.3 * random.Normal();
      double value = 0;
      ASSERT_TRUE(posterior.Value(theta, &value));
      Vector gradient;
      Matrix curvature;
      ASSERT_TRUE(posterior.Slopes(&gradient, &curvature));
      for (Index i = 0; i < theta.size(); ++i) {
        const auto& fixed = kernel.fixed.rows;
        if (std::find(fixed.begin(), fixed.end(), i) != fixed.end()) {
          EXPECT_EQ(gradient[i], 0);
          continue;
        }
        const double h = 1e-5;
        Vector above = theta, below = theta;
        above[i] += h;
        below[i] -= h;
        double up = 0, down = 0;
        ASSERT_TRUE(posterior.Value(above, &up) && posterior.Value(below, &down));
        EXPECT_NEAR(gradient[i], (up - down) / (2 * h), 1e-6);
      }
      const SeriesFit fit = FitSeries(kernel, likelihood, z, 5);
      ASSERT_TRUE(fit.ok);
      Vector start = posterior.Start();
      double before = 0;
      ASSERT_TRUE(posterior.Value(start, &before));
      EXPECT_LE(-(fit.log_likelihood + fit.log_prior), 30 * before);
      for (std::size_t k = 0; k < kernel.fixed.rows.size(); ++k) {
        EXPECT_EQ(fit.theta[kernel.fixed.rows[k]], kernel.fixed.log_values[k]);
      }
    }
  }
}

}  // namespace
}  // namespace instantgp

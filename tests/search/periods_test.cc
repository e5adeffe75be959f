#include "instantgp/search/periods.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "instantgp/base/rng.h"
#include "instantgp/data/scaler.h"
#include "instantgp/simulate/from_kernel.h"
#include "tests/support/tables.h"

namespace instantgp {
namespace {

TEST(Periods, WavesAreFoundBesideAFittedColumnThatVariesFast) {
  int found = 0;
  for (int k = 0; k < 6; ++k) {
    const double frequency = 2.5 + k;
    const KernelDraw draw = SimulateKernel({.kernel = "MAT52(x1) * PER(x2)",
                                            .n = 120,
                                            .d = 2,
                                            .parameters = {1, 0.1, 1, 0.3, 1 / frequency},
                                            .noise_variance = 0.03},
                                           6, static_cast<std::uint64_t>(k));
    const Matrix& X = draw.function.X;
    const Vector& y = draw.function.y;
    const PeriodContext context = SmoothAlong(1, FittedContext(X, y));
    EXPECT_LT(std::exp(context.theta[1]), 0.4);  // the fast column was seen
    const auto guesses = LikelyPeriods(std::array{context}, X, y, 1, 3, true);
    found += std::any_of(guesses.begin(), guesses.end(),
                         [&](const PeriodGuess& guess) { return std::abs(frequency - 1 / guess.period) < 0.25; });
  }
  EXPECT_GE(found, 5);
}

TEST(Periods, WavesAreFoundUnderATrend) {
  RandomStream random(2);
  for (const double period : {0.04, 0.1, 0.23, 0.4}) {
    for (const double sharpness : {0.0, 6.0}) {  // a sine, and a comb of pulses with many harmonics
      Matrix X(120, 2);
      Vector y(120);
      for (int i = 0; i < 120; ++i) {
        X(i, 0) = random.Uniform();
        X(i, 1) = random.Uniform();
        const double phase = 2 * std::numbers::pi * X(i, 0) / period;
        const double wave = sharpness == 0 ? std::sin(phase) : 3 * std::exp(sharpness * (std::cos(phase) - 1));
        y[i] = 2 * X(i, 0) * X(i, 0) + wave * (1 + 0.2 * X(i, 1)) + 0.1 * random.Normal();
      }
      const Scaler scaler = Scaler::Fit(X, y);
      const Matrix scaled = scaler.ScaleX(X);
      const auto guesses = LikelyPeriods(std::array{PlainContext(2)}, scaled, scaler.ScaleY(y), 0, 3, true);
      ASSERT_EQ(guesses.size(), 3u);
      const bool found = std::any_of(guesses.begin(), guesses.end(), [&](const PeriodGuess& guess) {
        // A quarter of a cycle over all rows: from there an optimiser finds the peak.
        return std::abs(scaler.x_range[0] / period - 1 / guess.period) < 0.25;
      });
      EXPECT_TRUE(found) << period << " " << sharpness;
    }
  }
  EXPECT_TRUE(LikelyPeriods(std::array{PlainContext(1)}, Matrix::Random(5, 1), Vector::Ones(5), 0, 3, true).empty());
}

TEST(Periods, ALookEndsWhenItIsLate) {
  const Dataset data = testing::DrawTable(60, 3, 55, 8);
  int asked = 0;
  const auto after = [&](int scans) {
    return LikelyPeriods(std::array{PlainContext(3)}, data.X, data.y, 0, 3, true,
                         [&, scans] { return ++asked > scans; });
  };
  EXPECT_TRUE(after(0).empty());
  EXPECT_EQ(asked, 1);
  asked = 0;
  EXPECT_FALSE(after(1).empty());
  EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace instantgp

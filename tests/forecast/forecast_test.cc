// Forecasts of series whose future is known, and of series nobody should forecast.
#include "instantgp/forecast/forecast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"
#include "instantgp/forecast/score.h"

namespace instantgp {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A trend, a season of twelve and some noise; multiplied if asked.
std::vector<double> Seasonal(int n, double noise, bool multiply, std::uint64_t seed) {
  RandomStream random(seed);
  std::vector<double> values;
  for (int t = 0; t < n; ++t) {
    const double z = 0.01 * t + 0.3 * std::sin(2 * std::numbers::pi * t / 12) + noise * random.Normal();
    values.push_back(multiply ? 100 * std::exp(z) : 100 + 10 * z);
  }
  return values;
}

TEST(ForecastTest, FollowsTrendAndSeason) {
  for (const bool multiply : {false, true}) {
    const std::vector<double> truth = Seasonal(108, 0, multiply, 1);
    std::vector<double> past = Seasonal(96, 0.02, multiply, 1);
    const Forecasted next = Forecast(past, {.horizon = 12, .seasons = {12}});
    ASSERT_TRUE(next.ok) << next.reason;
    ASSERT_EQ(next.steps.size(), 12U);
    double error = 0, size = 0;
    for (std::size_t h = 0; h < 12; ++h) {
      error += std::abs(next.steps[h].median - truth[96 + h]);
      size += std::abs(truth[96 + h] - truth[84 + h]);
      ASSERT_EQ(next.steps[h].lower.size(), 2U);
      EXPECT_LT(next.steps[h].lower[1], next.steps[h].lower[0]);
      EXPECT_LT(next.steps[h].lower[0], next.steps[h].median);
      EXPECT_LT(next.steps[h].median, next.steps[h].upper[0]);
      EXPECT_LT(next.steps[h].upper[0], next.steps[h].upper[1]);
    }
    EXPECT_LT(error, 0.5 * size);  // better by far than last year's values
    double weights = 0;
    for (const ForecastMember& member : next.members) weights += member.weight;
    EXPECT_NEAR(weights, 1, 1e-12);
  }
}

TEST(ForecastTest, DaysOfAWeekHaveTheirOwnShapes) {
  // Seven days of six steps: working days alike, the other two the other way round.
  RandomStream random(7);
  std::vector<double> truth, past;
  const int week = 42, n = 6 * week;
  for (int t = 0; t < n + week; ++t) {
    const double day = std::sin(2 * std::numbers::pi * t / 6);
    truth.push_back(50 + 10 * (t / 6 % 7 < 5 ? day : -0.8 * day));
    if (t < n) past.push_back(truth.back() + random.Normal());
  }
  const Forecasted next = Forecast(past, {.horizon = week, .seasons = {6, 42}, .components = true});
  ASSERT_TRUE(next.ok) << next.reason;
  double error = 0, last_week = 0;
  for (int h = 0; h < week; ++h) {
    const auto place = static_cast<std::size_t>(h);
    error += std::abs(next.steps[place].median - truth[static_cast<std::size_t>(n) + place]);
    last_week +=
        std::abs(past[static_cast<std::size_t>(n - week) + place] - truth[static_cast<std::size_t>(n) + place]);
  }
  EXPECT_LT(error, 0.75 * last_week);
  EXPECT_NE(next.members[0].kernel.find("PER(period=6)*PER(period=42)"), std::string::npos) << next.members[0].kernel;
  EXPECT_NE(next.members[0].words.find("a season of 6 steps whose shape repeats every 42 steps"), std::string::npos)
      << next.members[0].words;
  std::vector<std::string> names;
  for (const ForecastComponent& component : next.components) names.push_back(component.name);
  EXPECT_EQ(std::count(names.begin(), names.end(), "season 6"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "season 42"), 1);
  // A year holds too many weeks for each to have a shape of its own.
  const Forecasted years = Forecast(past, {.horizon = 1, .seasons = {2, 84}, .fast = true});
  EXPECT_EQ(years.members[0].kernel.find("PER(period=2)*"), std::string::npos) << years.members[0].kernel;
}

TEST(ForecastTest, LargerUnitsGiveLargerNumbersAndNothingElse) {
  const std::vector<double> past = Seasonal(60, 0.05, true, 2);
  std::vector<double> scaled;
  for (const double y : past) scaled.push_back(1e6 * y);
  const Forecasted a = Forecast(past, {.horizon = 6, .seasons = {12}}),
                   b = Forecast(scaled, {.horizon = 6, .seasons = {12}});
  for (std::size_t h = 0; h < 6; ++h) {
    EXPECT_NEAR(b.steps[h].median / (1e6 * a.steps[h].median), 1, 1e-6);
    EXPECT_NEAR(b.steps[h].upper[1] / (1e6 * a.steps[h].upper[1]), 1, 1e-6);
  }
}

TEST(ForecastTest, MissingValuesAreLeftOut) {
  std::vector<double> past = Seasonal(72, 0.05, false, 3);
  past[10] = past[40] = past[71] = kNaN;
  const Forecasted next = Forecast(past, {.horizon = 3, .seasons = {12}});
  ASSERT_TRUE(next.ok) << next.reason;
  for (const ForecastStep& step : next.steps) EXPECT_TRUE(std::isfinite(step.median));
}

TEST(ForecastTest, NonsenseOptionsAreUsageErrors) {
  for (const ForecastOptions& options :
       {ForecastOptions{.horizon = 0}, ForecastOptions{.seasons = {1}}, ForecastOptions{.levels = {100}}}) {
    EXPECT_THROW(Forecast({1, 2, 3}, options), Error);
  }
}

TEST(ForecastTest, AnOutlierIsAnAnomalyAndComponentsAddUp) {
  std::vector<double> past = Seasonal(72, 0.02, false, 7);
  past[30] += 8;
  const Forecasted next = Forecast(
      past,
      {.horizon = 6, .seasons = {12}, .transform = TransformChoice::kNone, .components = true, .anomalies = true});
  ASSERT_TRUE(next.ok);
  ASSERT_EQ(next.anomalies.size(), 1U);
  EXPECT_EQ(next.anomalies[0].index, 30);
  EXPECT_GT(next.anomalies[0].score, 3);
  ASSERT_GE(next.components.size(), 2U);
  for (const ForecastComponent& component : next.components) EXPECT_EQ(component.values.size(), 78U);
  // The parts of one member make up its mean, which lies inside of what the mixture allows.
  double sum = 0;
  for (const ForecastComponent& component : next.components) sum += component.values[72];
  EXPECT_GT(sum, next.steps[0].lower[1]);
  EXPECT_LT(sum, next.steps[0].upper[1]);
}

// Intervals against simulated futures: a random walk with drift, 95 percent of which they should hold.
TEST(ForecastTest, IntervalsHoldWhatTheyPromise) {
  RandomStream random(8);
  double inside = 0, count = 0;
  for (int k = 0; k < 40; ++k) {
    std::vector<double> values = {100};
    for (int t = 1; t < 70; ++t) values.push_back(values.back() + 0.3 + random.Normal());
    const std::vector<double> past(values.begin(), values.begin() + 60);
    const Forecasted next = Forecast(past, {.horizon = 10});
    ASSERT_TRUE(next.ok);
    const std::vector<double> future(values.begin() + 60, values.end());
    const ForecastScore score = ScoreForecast(past, 1, next, future);
    inside += score.coverage95;
    ++count;
  }
  EXPECT_GT(inside / count, 85);
}

}  // namespace
}  // namespace instantgp

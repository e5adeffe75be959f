#include "instantgp/forecast/learn_priors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"
#include "instantgp/forecast/score.h"

namespace instantgp {
namespace {

// A fixed season under a lot of noise, unlike what the library expects of a series.
std::vector<double> NoisyMonths(int n, std::uint64_t seed) {
  RandomStream random(seed);
  const double phase = 6 * random.Normal();
  std::vector<double> values;
  for (int t = 0; t < n; ++t) {
    values.push_back(1000 + 30 * std::sin(2 * std::numbers::pi * t / 12 + phase) + 60 * random.Normal());
  }
  return values;
}

std::vector<SeriesToLearnFrom> NoisyCollection(int count, std::uint64_t seed) {
  std::vector<SeriesToLearnFrom> all;
  for (int k = 0; k < count; ++k) all.push_back({NoisyMonths(48, seed + static_cast<std::uint64_t>(k)), {12}});
  return all;
}

TEST(ForecastPriorsTest, TextKeepsEveryDigitAndNothingElseIsTaken) {
  ForecastPriors priors;
  priors.Set("walk.seasons.noise", {-1.0 / 3, 0.1});
  priors.Set("curve.none.LIN.variance", {1e-300, 7});
  priors.set_learning({12, 0.5, 2.0 / 3});
  EXPECT_EQ(ForecastPriors::FromText(priors.Text()), priors);
  const std::string head = "instantgp priors 1\nseries 3\nshare 1\nscore 0.5\n";
  EXPECT_TRUE(ForecastPriors::FromText(head).empty());
  for (const std::string& bad :
       {std::string(), std::string("hello\n"), head.substr(0, 30), head + "a 1\n", head + "a 1 x\n", head + "a 1 0\n",
        head + "a nan 1\n", head + "a 1 2", head + " 1 2\n"}) {
    EXPECT_THROW(ForecastPriors::FromText(bad), Error) << bad;
  }
}

TEST(LearnPriorsTest, MovesToWhatIsUsualAmongTheSeriesAndForecastsGetBetter) {
  const ForecastOptions options{.horizon = 12, .seasons = {12}};
  const ForecastPriors learned = LearnPriors(NoisyCollection(60, 100), options, 2);
  EXPECT_EQ(learned.learning().series, 60);
  EXPECT_GT(learned.learning().share, 0);
  EXPECT_LT(learned.learning().score, 0.995);
  // Of the variance of a series 3600 of 4050 are noise.
  for (const char* level : {"curve", "two_scales", "walk", "damped"}) {
    const std::optional<LogNormalPrior> noise = learned.Find(std::string(level) + ".seasons.noise");
    ASSERT_TRUE(noise.has_value()) << level;
    EXPECT_NEAR(noise->mean, std::log(3600.0 / 4050), 0.6) << level;
    EXPECT_LT(noise->std, 1.2) << level;
  }
  ForecastOptions with = options;
  with.priors = learned;
  double before = 0, after = 0;
  for (int k = 0; k < 40; ++k) {
    const std::vector<double> all = NoisyMonths(60, 900 + static_cast<std::uint64_t>(k));
    const std::vector<double> past(all.begin(), all.begin() + 48), future(all.begin() + 48, all.end());
    before += ScoreForecast(past, 12, Forecast(past, options), future).scrps;
    after += ScoreForecast(past, 12, Forecast(past, with), future).scrps;
  }
  EXPECT_LT(after, 0.998 * before);
}

TEST(LearnPriorsTest, DoesNotDependOnThreadsAndLeavesOutWhatCannotBeForecast) {
  const ForecastOptions options{.horizon = 1, .seasons = {12}, .fast = true};
  std::vector<SeriesToLearnFrom> some = NoisyCollection(9, 5);
  EXPECT_EQ(LearnPriors(some, options, 1), LearnPriors(some, options, 2));
  some.push_back({{1, 1, 1, 1}, {12}});  // constant, and too short: nothing to learn from
  some.push_back({{3}, {}});
  EXPECT_EQ(LearnPriors(some, options, 2).learning().series, 9);
}

TEST(LearnPriorsTest, TheLibrarysAreKeptWhereTheyForecastBest) {
  // A handful of series like those the library knows.
  std::vector<SeriesToLearnFrom> usual;
  RandomStream random(3);
  for (int k = 0; k < 6; ++k) {
    std::vector<double> values;
    double level = 100;
    for (int t = 0; t < 72; ++t) {
      level += 0.3 + random.Normal();
      values.push_back(level + 8 * std::sin(2 * std::numbers::pi * t / 12) + random.Normal());
    }
    usual.push_back({values, {12}});
  }
  const ForecastPriors learned = LearnPriors(usual, {.horizon = 12, .fast = true}, 2);
  EXPECT_EQ(learned.learning().series, 6);
  if (learned.learning().share == 0) {
    EXPECT_TRUE(learned.empty());
    EXPECT_EQ(learned.learning().score, 1);
  } else {
    EXPECT_LT(learned.learning().score, 1);
  }
  EXPECT_TRUE(LearnPriors({}, {}).empty());
}

TEST(LearnPriorsTest, TheSampleDependsOnKeysAndSeedAlone) {
  std::vector<std::vector<std::string>> keys;
  for (int k = 0; k < 500; ++k) keys.push_back({"shop" + std::to_string(k % 20), std::to_string(k / 20)});
  const auto chosen = [](const std::vector<std::vector<std::string>>& from, std::uint64_t seed) {
    std::vector<std::vector<std::string>> found;
    for (const std::size_t place : SampleOfSeries(
             from.size(), [&](std::size_t k) -> const std::vector<std::string>& { return from[k]; }, 50, seed)) {
      found.push_back(from[place]);
    }
    return found;
  };
  const auto first = chosen(keys, 0), other = chosen(keys, 1);
  ASSERT_EQ(first.size(), 50u);
  std::reverse(keys.begin(), keys.end());
  EXPECT_EQ(chosen(keys, 0), first);
  EXPECT_NE(other, first);
  // Spread over all: a fifth of them or more from each half of the keys.
  const auto early = std::count_if(first.begin(), first.end(), [](const auto& key) { return std::stoi(key[1]) < 12; });
  EXPECT_GT(early, 10);
  EXPECT_LT(early, 40);
}

}  // namespace
}  // namespace instantgp

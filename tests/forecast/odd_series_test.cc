// Series nobody likes: each gets an honest forecast or a reason, with a season and without, in full and fast.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "instantgp/base/rng.h"
#include "instantgp/forecast/forecast.h"

namespace instantgp {
namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kPast = 60, kHorizon = 12;

struct OddSeries {
  const char* name;
  // The value at a time; times from kPast on are the future.
  std::function<double(int t, RandomStream& random)> value;
  int length = kPast;
  bool future_known =
      false;  // the future goes on as the series ended: 95 percent intervals hold at least 9 of 12 values
  const char* reason = nullptr;  // part of why there is no forecast
  bool grows = false;            // so fast that its future is far away from its past
};

double Season(int t) { return std::sin(2 * std::numbers::pi * t / 12); }

std::vector<OddSeries> OddCases() {
  const auto only = [](std::vector<double> values) {
    return [values](int t, RandomStream&) { return values[std::min(static_cast<std::size_t>(t), values.size() - 1)]; };
  };
  return {
      {"a level shift", [](int t, RandomStream& r) { return (t < 40 ? 100 : 250) + 3 * r.Normal(); }, kPast, true},
      {"a level shift with a season",
       [](int t, RandomStream& r) { return (t < 30 ? 100 : 60) + 8 * Season(t) + r.Normal(); }, kPast, true},
      {"a level shift just now", [](int t, RandomStream& r) { return (t < 56 ? 100 : 250) + 3 * r.Normal(); }},
      {"two level shifts", [](int t, RandomStream& r) { return (t < 20 || t > 40 ? 10 : 30) + r.Normal(); }},
      {"an outlier", [](int t, RandomStream& r) { return (t == 30 ? 5000 : 100) + 3 * r.Normal(); }, kPast, true},
      {"an outlier to zero", [](int t, RandomStream& r) { return t == 30 ? 0 : 100 + 3 * r.Normal(); }, kPast, true},
      {"an outlier at the end", [](int t, RandomStream& r) { return (t == 59 ? 1000 : 100) + 3 * r.Normal(); }},
      {"an outlier at the beginning", [](int t, RandomStream& r) { return (t == 0 ? 1000 : 100) + 3 * r.Normal(); }},
      {"outliers every now and then",
       [](int t, RandomStream& r) { return (t % 17 == 3 ? 400 : 100) + 3 * r.Normal(); }},
      {"one value of another world", [](int t, RandomStream& r) { return t == 30 ? 1e15 : 1 + 0.1 * r.Normal(); }},
      {"constant", [](int, RandomStream&) { return 4.5; }, kPast, true},
      {"constant zero", [](int, RandomStream&) { return 0.0; }, kPast, true},
      {"constant but for the last", [](int t, RandomStream&) { return t == 59 ? 5.0 : 4.5; }},
      {"constant up to rounding", [](int t, RandomStream&) { return 1e6 * (1 + 2.3e-16 * (t % 2)); }, kPast, true},
      {"two points", only({3, 5}), 2},
      {"two equal points", only({3, 3}), 2},
      {"two points far apart", only({1e-3, 1e9}), 2},
      {"three points", only({3, 5, 4}), 3},
      {"four points", only({1, 2, 4, 8}), 4},
      {"five points", only({1, 10, 100, 1000, 10000}), 5},
      {"six points with a zero", only({0, 1, 0, 3, 2, 5}), 6},
      {"as long as a season", [](int t, RandomStream& r) { return 10 + Season(t) + 0.1 * r.Normal(); }, 12},
      {"a season and a half", [](int t, RandomStream& r) { return 10 + Season(t) + 0.1 * r.Normal(); }, 18},
      {"zeros but for one", [](int t, RandomStream&) { return t == 20 ? 7.0 : 0.0; }},
      {"mostly zeros", [](int, RandomStream& r) { return r.Uniform() < 0.15 ? 1.0 + r.UniformInt(0, 5) : 0.0; }, kPast,
       true},
      {"counts", [](int, RandomStream& r) { return static_cast<double>(r.UniformInt(0, 4)); }, kPast, true},
      {"zeros, then a start", [](int t, RandomStream& r) { return t < 40 ? 0 : 50 + 5 * r.Normal(); }},
      {"an end to zeros", [](int t, RandomStream& r) { return t < 45 ? 50 + 5 * r.Normal() : 0; }},
      {"negative", [](int, RandomStream& r) { return -50 + r.Normal(); }, kPast, true},
      {"around zero", [](int t, RandomStream& r) { return 3 * Season(t) + r.Normal(); }, kPast, true},
      {"one negative value", [](int t, RandomStream& r) { return t == 12 ? -1 : 100 + r.Normal(); }, kPast, true},
      {"huge", [](int, RandomStream& r) { return 1e300 * (1 + 0.1 * r.Normal()); }, kPast, true},
      {"tiny", [](int, RandomStream& r) { return 1e-300 * (1 + 0.1 * r.Normal()); }, kPast, true},
      {"small changes on a large level", [](int, RandomStream& r) { return 1e9 + r.Normal(); }, kPast, true},
      {"the largest numbers", [](int t, RandomStream&) { return t % 2 ? 1.5e308 : -1.5e308; }, kPast, false, "1e305"},
      {"a straight line", [](int t, RandomStream&) { return 5.0 + 2 * t; }, kPast, true},
      {"a falling line", [](int t, RandomStream&) { return 1000.0 - 3 * t; }, kPast, true},
      {"a falling line to zero", [](int t, RandomStream& r) { return std::max(0.0, 120.0 - 2 * t + r.Normal()); }},
      {"growth by half a step", [](int t, RandomStream&) { return std::pow(1.5, t); }, kPast, true, nullptr, true},
      {"decay", [](int t, RandomStream& r) { return 1000 * std::exp(-0.1 * t) * (1 + 0.05 * r.Normal()); }},
      {"two values by turns", [](int t, RandomStream&) { return t % 2; }, kPast, true},
      {"a pure season", [](int t, RandomStream&) { return 100 + 10 * Season(t); }, kPast, true},
      {"half of it missing",
       [](int t, RandomStream& r) { return t % 2 && t < kPast ? kGap : 100 + 10 * Season(t) + r.Normal(); }, kPast,
       true},
      {"a long gap", [](int t, RandomStream& r) { return t > 15 && t < 45 ? kGap : 100 + r.Normal(); }, kPast, true},
      {"ends with a gap", [](int t, RandomStream& r) { return t > 50 && t < 60 ? kGap : 100 + r.Normal(); }, kPast,
       true},
      {"two values and gaps", [](int t, RandomStream&) { return t == 3 || t == 40 ? 1.0 * t : kGap; }},
      {"no values", [](int, RandomStream&) { return kGap; }, kPast, false, "no values"},
      {"nothing", [](int, RandomStream&) { return 0.0; }, 0, false, "no values"},
      {"a single value", [](int t, RandomStream&) { return t == 7 ? 4 : kGap; }, kPast, false, "a single value"},
      {"one point", only({4}), 1, false, "a single value"},
      {"an infinite value", [](int t, RandomStream&) { return t == 7 ? kInfinity : t; }, kPast, false, "infinite"},
  };
}

class OddSeriesTest : public ::testing::TestWithParam<OddSeries> {};

TEST_P(OddSeriesTest, GetsAnHonestForecastOrAReason) {
  const OddSeries& odd = GetParam();
  for (const bool seasonal : {false, true}) {
    for (const bool fast : {false, true}) {
      SCOPED_TRACE(std::string(odd.name) + (seasonal ? ", season 12" : ", no season") + (fast ? ", fast" : ""));
      RandomStream random(11);
      std::vector<double> past, future;
      for (int t = 0; t < odd.length; ++t) past.push_back(odd.value(t, random));
      for (int h = 0; h < kHorizon; ++h) future.push_back(odd.value(odd.length + h, random));
      ForecastOptions options;
      options.horizon = kHorizon;
      options.fast = fast;
      if (seasonal) options.seasons = {12};
      const Forecasted next = Forecast(past, options);
      if (odd.reason != nullptr) {
        EXPECT_FALSE(next.ok);
        EXPECT_NE(next.reason.find(odd.reason), std::string::npos) << next.reason;
        continue;
      }
      ASSERT_TRUE(next.ok) << next.reason;
      double least = kInfinity, most = -kInfinity;
      for (const double y : past) {
        if (std::isnan(y)) continue;
        least = std::min(least, y);
        most = std::max(most, y);
      }
      const double middle = least / 2 + most / 2, half_range = most / 2 - least / 2;
      int held = 0;
      for (std::size_t h = 0; h < next.steps.size(); ++h) {
        const ForecastStep& step = next.steps[h];
        for (const double value : {step.median, step.mean, step.std, step.lower[0], step.upper[0], step.lower[1]}) {
          ASSERT_TRUE(std::isfinite(value));
        }
        const double slack = 1e-9 * std::max(std::abs(least), std::abs(most));
        EXPECT_LE(step.lower[1], step.lower[0] + slack);
        EXPECT_LE(step.lower[0], step.median + slack);
        EXPECT_LE(step.median, step.upper[0] + slack);
        EXPECT_LE(step.upper[0], step.upper[1] + slack);
        if (half_range > 1e-12 * std::abs(middle)) {
          EXPECT_LT(step.lower[1], step.upper[1]);
        }
        // Not wild: no further away than four times the range of all there was, with intervals of at most sixty.
        const double reach = odd.grows ? 2 * future[h] : 8 * half_range;
        EXPECT_LE(std::abs(step.median - middle), reach + slack);
        EXPECT_LE(step.upper[1] - step.lower[1], 15 * reach + slack);
        held += future[h] >= step.lower[1] - slack && future[h] <= step.upper[1] + slack ? 1 : 0;
      }
      if (odd.future_known) {
        EXPECT_GE(held, 9);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, OddSeriesTest, ::testing::ValuesIn(OddCases()),
                         [](const ::testing::TestParamInfo<OddSeries>& tested) {
                           std::string name = tested.param.name;
                           for (char& c : name) {
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           }
                           return name;
                         });

TEST(OddSeriesNotesTest, SayWhatIsUnusual) {
  const Forecasted constant = Forecast(std::vector<double>(30, 4.5), {.horizon = 2});
  EXPECT_FALSE(constant.notes.empty());
  const Forecasted refused = Forecast({-1, 2, 3, 4}, {.transform = TransformChoice::kLog});
  EXPECT_FALSE(refused.ok);
  EXPECT_NE(refused.reason.find("-1"), std::string::npos);
}

}  // namespace
}  // namespace instantgp

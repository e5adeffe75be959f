#include "instantgp/plot/ticks.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "instantgp/base/rng.h"

namespace instantgp::plot {
namespace {

Limits LimitsOf(const std::vector<double>& values, Scale scale = Scale::kLinear) {
  RangeCollector range(scale);
  for (double v : values) range.Add(v);
  return range.Padded(0.04);
}

// The number a label stands for.
double LabelValue(const Ticks& ticks, std::size_t i) {
  const auto number = [](std::string text) {
    if (text.rfind("\xE2\x88\x92", 0) == 0) text.replace(0, 3, "-");
    return std::strtod(text.c_str(), nullptr);
  };
  if (!ticks.labels[i].superscript.empty()) return std::pow(10.0, number(ticks.labels[i].superscript));
  const double offset = ticks.offset.empty() ? 0 : number(ticks.offset);
  return number(ticks.labels[i].text) * std::pow(10.0, ticks.exponent) + offset;
}

void ExpectGoodTicks(Limits limits, Scale scale, int target) {
  SCOPED_TRACE(::testing::Message() << limits.lower << " .. " << limits.upper);
  ASSERT_TRUE(std::isfinite(limits.lower) && std::isfinite(limits.upper));
  ASSERT_LT(limits.lower, limits.upper);
  const Ticks ticks = MakeTicks(limits, scale, target);
  ASSERT_GE(ticks.values.size(), 2u);
  ASSERT_LE(ticks.values.size(), 3u * target + 2);
  ASSERT_EQ(ticks.values.size(), ticks.labels.size());
  double widest_gap = 0;
  for (std::size_t i = 0; i < ticks.values.size(); ++i) {
    const double position = AxisPosition(ticks.values[i], limits, scale);
    EXPECT_GE(position, -1e-6);
    EXPECT_LE(position, 1 + 1e-6);
    EXPECT_NEAR(AxisPosition(LabelValue(ticks, i), limits, scale), position, 0.02);  // labels tell the truth
    EXPECT_LE(ticks.labels[i].text.size(), 12u);
    if (i > 0) {
      const double gap = position - AxisPosition(ticks.values[i - 1], limits, scale);
      EXPECT_GT(gap, 0);
      widest_gap = std::max(widest_gap, gap);
    }
  }
  // The ticks cover the range: no room for another one at either end.
  EXPECT_LE(AxisPosition(ticks.values.front(), limits, scale), 2 * widest_gap);
  EXPECT_LE(1 - AxisPosition(ticks.values.back(), limits, scale), 2 * widest_gap);
}

TEST(TicksTest, CoverRandomLinearRanges) {
  RandomStream random(1);
  for (int k = 0; k < 5000; ++k) {
    const double center = std::pow(10.0, random.Uniform(-300, 300)) * (random.Bernoulli(0.5) ? 1 : -1);
    const double width = std::abs(center) * std::pow(10.0, random.Uniform(-9, 1));
    ExpectGoodTicks(LimitsOf({center, center + width}), Scale::kLinear, random.UniformInt(3, 10));
  }
}

TEST(TicksTest, CoverRandomLogRanges) {
  RandomStream random(2);
  for (int k = 0; k < 5000; ++k) {
    const double low = random.Uniform(-299, 290);
    const double high = std::min(low + std::pow(10.0, random.Uniform(-2, 3)), 300.0);
    ExpectGoodTicks(LimitsOf({std::pow(10.0, low), std::pow(10.0, high)}, Scale::kLog), Scale::kLog, 6);
  }
}

TEST(TicksTest, StepsAreOneTwoOrFive) {
  RandomStream random(3);
  for (int k = 0; k < 1000; ++k) {
    const double low = random.Uniform(-100, 100);
    const Ticks ticks = MakeTicks({low, low + std::pow(10.0, random.Uniform(-3, 4))}, Scale::kLinear, 7);
    const double step = ticks.values[1] - ticks.values[0];
    const double mantissa = step / std::pow(10.0, std::floor(std::log10(step * (1 + 1e-9))));
    const bool nice = std::abs(mantissa - 1) < 1e-6 || std::abs(mantissa - 2) < 1e-6 || std::abs(mantissa - 5) < 1e-6;
    EXPECT_TRUE(nice) << step;
  }
}

TEST(TicksTest, DegenerateDataStillHaveAnAxis) {
  const double kInf = std::numeric_limits<double>::infinity();
  const double kNaN = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::vector<double>> cases = {{},           {0},
                                                  {7},          {-3, -3, -3},
                                                  {1e300},      {-1e300},
                                                  {1e-300},     {1e308, -1e308},
                                                  {1e-320},     {kNaN, kInf, -kInf},
                                                  {1, kNaN, 2}, {1e9, std::nextafter(1e9, 2e9)},
                                                  {0, 1e-310},  {-1e-300, 1e-300},
                                                  {0, 1e300}};
  for (const auto& values : cases) {
    ExpectGoodTicks(LimitsOf(values), Scale::kLinear, 6);
    ExpectGoodTicks(LimitsOf(values, Scale::kLog), Scale::kLog, 6);
  }
}

TEST(TicksTest, LimitsThatCannotBeShownAreNotUsable) {
  const double kInf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(IsUsable({-1e306, 1e306}, Scale::kLinear));
  EXPECT_TRUE(IsUsable({1e-290, 1e290}, Scale::kLog));
  for (const Limits& limits : {Limits{0, 1e-310}, Limits{1, 1}, Limits{2, 1}, Limits{0, kInf}, Limits{-kInf, 0},
                               Limits{std::nan(""), 1}, Limits{1e9, std::nextafter(1e9, 2e9)}, Limits{-1e308, 1e308}}) {
    EXPECT_FALSE(IsUsable(limits, Scale::kLinear)) << limits.lower << " " << limits.upper;
  }
  EXPECT_FALSE(IsUsable({0, 1}, Scale::kLog));
}

TEST(TicksTest, KnownLabels) {
  const auto labels = [](Limits limits, Scale scale = Scale::kLinear) {
    std::string all;
    for (const TickLabel& label : MakeTicks(limits, scale, 6).labels) {
      all += label.text + (label.superscript.empty() ? "" : "^" + label.superscript) + " ";
    }
    return all;
  };
  EXPECT_EQ(labels({0, 1}), "0.0 0.2 0.4 0.6 0.8 1.0 ");
  EXPECT_EQ(labels({-1, 1}),
            "\xE2\x88\x92"
            "1.0 \xE2\x88\x92"
            "0.5 0.0 0.5 1.0 ");
  EXPECT_EQ(labels({100, 622}), "100 200 300 400 500 600 ");
  EXPECT_EQ(labels({0, 5e6}), "0 1 2 3 4 5 ");
  EXPECT_EQ(MakeTicks({0, 5e6}, Scale::kLinear, 6).exponent, 6);
  EXPECT_EQ(labels({1, 100}, Scale::kLog), "1 2 5 10 20 50 100 ");
  EXPECT_EQ(labels({1, 1e6}, Scale::kLog), "10^0 10^1 10^2 10^3 10^4 10^5 10^6 ");
  const Ticks late = MakeTicks({1e9, 1e9 + 0.002}, Scale::kLinear, 5);
  EXPECT_EQ(late.offset, "1000000000");
  EXPECT_EQ(late.labels[0].text, "0.0");
}

}  // namespace
}  // namespace instantgp::plot

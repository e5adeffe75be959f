#include "instantgp/base/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <climits>
#include <cmath>
#include <functional>
#include <set>
#include <stdexcept>
#include <vector>

namespace instantgp {
namespace {

constexpr int kSamples = 200000;

std::vector<double> Draw(std::uint64_t seed, const std::function<double(RandomStream&)>& draw, int count = kSamples) {
  RandomStream stream(seed);
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values) value = draw(stream);
  return values;
}

// sqrt(n) sup |F_n - F|; above 2.7 with probability 1e-6 under F (Kolmogorov).
double KolmogorovDistance(std::vector<double> values, const std::function<double(double)>& cdf) {
  std::sort(values.begin(), values.end());
  const double n = static_cast<double>(values.size());
  double distance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double f = cdf(values[i]);
    distance = std::max({distance, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
  }
  return std::sqrt(n) * distance;
}
constexpr double kRejected = 2.7;

struct Moments {
  double mean = 0;
  double variance = 0;
};
Moments MomentsOf(const std::vector<double>& values) {
  Moments moments;
  for (const double value : values) moments.mean += value;
  moments.mean /= static_cast<double>(values.size());
  for (const double value : values) moments.variance += (value - moments.mean) * (value - moments.mean);
  moments.variance /= static_cast<double>(values.size());
  return moments;
}

TEST(RandomStream, MatchesThePublishedPhiloxVector) {
  // The known answer for Philox4x32-10 with counter and key all zero.
  RandomStream zeros(0);
  EXPECT_EQ(zeros.Bits(), 0x6627e8d5u);
  EXPECT_EQ(zeros.Bits(), 0xe169c58du);
  EXPECT_EQ(zeros.Bits(), 0xbc57ac4cu);
  EXPECT_EQ(zeros.Bits(), 0x9b00dbd8u);
}

TEST(RandomStream, DependsOnNothingButItsName) {
  // Reading many streams in turns gives what reading each alone gives.
  constexpr int kStreams = 20;
  std::vector<RandomStream> together;
  for (int s = 0; s < kStreams; ++s) together.emplace_back(9, s / 2, s % 2);
  std::vector<std::vector<double>> interleaved(kStreams);
  for (int k = 0; k < 50; ++k) {
    for (int s = kStreams - 1; s >= 0; --s)
      interleaved[s].push_back(k % 2 ? together[s].Normal() : together[s].Uniform());
  }
  for (int s = 0; s < kStreams; ++s) {
    RandomStream alone(9, s / 2, s % 2);
    for (int k = 0; k < 50; ++k) EXPECT_EQ(interleaved[s][k], k % 2 ? alone.Normal() : alone.Uniform());
  }
}

TEST(RandomStream, EveryPartOfTheNameMatters) {
  std::set<std::uint32_t> first;
  std::size_t made = 0;
  for (const std::uint64_t seed : {0ull, 1ull, 1ull << 32, 1ull << 63}) {
    for (const std::uint64_t stream : {0ull, 1ull, 1ull << 32, 1ull << 63}) {
      for (const std::uint32_t substream : {0u, 1u, 1u << 31}) {
        first.insert(RandomStream(seed, stream, substream).Bits());
        ++made;
      }
    }
  }
  EXPECT_EQ(first.size(), made);
}

TEST(RandomStream, NeighbouringStreamsAreUncorrelated) {
  // The first numbers of streams 0, 1, 2, ... are themselves a good sequence.
  std::vector<double> first;
  double lag = 0;
  for (int s = 0; s < kSamples; ++s) first.push_back(RandomStream(5, s).Uniform());
  for (int s = 1; s < kSamples; ++s) lag += (first[s] - 0.5) * (first[s - 1] - 0.5) * 12;
  EXPECT_LT(std::abs(lag / std::sqrt(kSamples)), 5);
  EXPECT_LT(KolmogorovDistance(first, [](double x) { return x; }), kRejected);
}

TEST(RandomStream, UniformIsUniformInsideTheOpenInterval) {
  const auto values = Draw(1, [](RandomStream& r) { return r.Uniform(); });
  EXPECT_GT(*std::min_element(values.begin(), values.end()), 0);
  EXPECT_LT(*std::max_element(values.begin(), values.end()), 1);
  EXPECT_LT(KolmogorovDistance(values, [](double x) { return x; }), kRejected);
}

TEST(RandomStream, UniformOfAnyIntervalStaysInside) {
  const double huge = 1.7e308;
  const std::vector<std::pair<double, double>> intervals = {
      {-3, 5}, {0, 1e-300}, {-huge, huge}, {1, std::nextafter(std::nextafter(1.0, 2), 2)}};
  for (const auto& [lower, upper] : intervals) {
    RandomStream stream(2);
    for (int i = 0; i < 1000; ++i) {
      const double value = stream.Uniform(lower, upper);
      EXPECT_GT(value, lower);
      EXPECT_LT(value, upper);
    }
  }
  const auto values = Draw(2, [](RandomStream& r) { return r.Uniform(-3, 5); });
  EXPECT_LT(KolmogorovDistance(values, [](double x) { return (x + 3) / 8; }), kRejected);
}

TEST(RandomStream, UniformIntIsUnbiasedOnEveryRange) {
  for (const auto& [lower, upper] : std::vector<std::pair<int, int>>{{0, 0}, {-1, 1}, {1, 6}, {10, 250}}) {
    const int count = upper - lower + 1;
    std::vector<int> seen(static_cast<std::size_t>(count));
    RandomStream stream(3);
    for (int i = 0; i < kSamples; ++i) {
      const int value = stream.UniformInt(lower, upper);
      ASSERT_GE(value, lower);
      ASSERT_LE(value, upper);
      ++seen[value - lower];
    }
    const double expected = static_cast<double>(kSamples) / count;
    for (const int n : seen) EXPECT_LT(std::abs(n - expected), 6 * std::sqrt(expected) + 1e-9);
  }
  // A range of 3/4 of all values doubles a third of them if the surplus is not rejected: the mean shows it.
  const auto wide = Draw(3, [](RandomStream& r) { return r.UniformInt(INT_MIN, INT_MIN + 0x7fffffff + 0x40000000); });
  const double centre = INT_MIN + 0.375 * 0x1p32;
  EXPECT_LT(std::abs(MomentsOf(wide).mean - centre), 6 * 0.75 * 0x1p32 / std::sqrt(12.0 * kSamples));
  const auto whole = Draw(4, [](RandomStream& r) { return r.UniformInt(INT_MIN, INT_MAX); });
  EXPECT_LT(KolmogorovDistance(whole, [](double x) { return (x - INT_MIN) / 0x1p32; }), kRejected);
}

TEST(RandomStream, NormalIsNormal) {
  const auto values = Draw(6, [](RandomStream& r) { return r.Normal(); });
  EXPECT_LT(KolmogorovDistance(values, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }), kRejected);
  double pair_product = 0;  // the two of one pair are independent
  for (int i = 0; i < kSamples; i += 2) pair_product += values[i] * values[i + 1];
  EXPECT_LT(std::abs(pair_product) / std::sqrt(kSamples / 2.0), 5);
  EXPECT_GT(*std::max_element(values.begin(), values.end()), 4);
}

TEST(RandomStream, ExponentialHasItsMean) {
  for (const double mean : {0.0225, 1.0, 1e6}) {
    const auto values = Draw(7, [&](RandomStream& r) { return r.Exponential(mean); });
    EXPECT_LT(KolmogorovDistance(values, [&](double x) { return -std::expm1(-x / mean); }), kRejected) << mean;
  }
}

TEST(RandomStream, GammaIsRightForEveryShape) {
  for (const double shape : {0.05, 0.3, 0.99, 1.0, 2.0, 7.5, 1000.0}) {
    for (const double rate : {0.5, 3.0, 5.0}) {
      const auto values = Draw(8, [&](RandomStream& r) { return r.Gamma(shape, rate); });
      const auto cdf = [&](double x) { return boost::math::gamma_p(shape, rate * x); };
      EXPECT_LT(KolmogorovDistance(values, cdf), kRejected) << shape << " " << rate;
      const Moments moments = MomentsOf(values);
      const double standard_error = std::sqrt(shape / (rate * rate) / kSamples);
      EXPECT_LT(std::abs(moments.mean - shape / rate), 6 * standard_error);
    }
  }
  RandomStream tiny(8);
  for (int i = 0; i < 1000; ++i) {
    const double value = tiny.Gamma(1e-5, 1);  // nearly all its mass is below the smallest double
    EXPECT_GT(value, 0);
    EXPECT_TRUE(std::isfinite(std::log(value)));
  }
}

TEST(RandomStream, GeometricHasItsProbabilities) {
  for (const double p : {0.25, 0.6, 0.97, 1.0}) {
    std::vector<int> seen(200);
    RandomStream stream(10);
    for (int i = 0; i < kSamples; ++i) {
      const int k = stream.Geometric(p);
      ASSERT_GE(k, 1);
      if (k < 200) ++seen[k];
    }
    for (int k = 1; k < 30; ++k) {
      const double expected = kSamples * p * std::pow(1 - p, k - 1);
      EXPECT_LT(std::abs(seen[k] - expected), 6 * std::sqrt(expected) + 2) << p << " " << k;
    }
  }
  RandomStream rare(10);
  for (int i = 0; i < 100; ++i) EXPECT_GE(rare.Geometric(1e-300), 1);
}

TEST(RandomStream, BernoulliHasItsProbability) {
  for (const double p : {0.0, 0.01, 0.5, 1.0}) {
    RandomStream stream(11);
    int successes = 0;
    for (int i = 0; i < kSamples; ++i) successes += stream.Bernoulli(p);
    EXPECT_LE(std::abs(successes - p * kSamples), 6 * std::sqrt(kSamples * p * (1 - p))) << p;
  }
}

TEST(RandomStream, RefusesParametersOutsideTheirRange) {
  RandomStream stream(1);
  EXPECT_THROW(stream.Uniform(1, 1), std::logic_error);
  EXPECT_THROW(stream.UniformInt(2, 1), std::logic_error);
  EXPECT_THROW(stream.Exponential(0), std::logic_error);
  EXPECT_THROW(stream.Gamma(0, 1), std::logic_error);
  EXPECT_THROW(stream.Gamma(1, NAN), std::logic_error);
  EXPECT_THROW(stream.Geometric(0), std::logic_error);
  EXPECT_THROW(stream.Bernoulli(1.1), std::logic_error);
}

}  // namespace
}  // namespace instantgp

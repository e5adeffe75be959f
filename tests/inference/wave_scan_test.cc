// Frequencies of periodic functions along one column.
#include "instantgp/inference/wave_scan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "instantgp/base/rng.h"

namespace instantgp {
namespace {

struct WaveSeries {
  Vector x, y;
};

// A parabola, a wave whose k-th harmonic has the given amplitude, and noise.
WaveSeries Draw(double frequency, const std::vector<double>& amplitudes, double noise, int n, RandomStream& random) {
  WaveSeries s{Vector(n), Vector(n)};
  for (int i = 0; i < n; ++i) {
    s.x[i] = random.Uniform();
    s.y[i] = 3 * s.x[i] - 2 * s.x[i] * s.x[i] + noise * random.Normal();
    for (std::size_t k = 0; k < amplitudes.size(); ++k) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(k + 1) * frequency * s.x[i];
      s.y[i] += amplitudes[k] * std::sin(angle + static_cast<double>(k * k));
    }
  }
  return s;
}

TEST(LikelyWaves, TheFirstHasTheFrequencyOfAWaveBesideAParabola) {
  RandomStream random(5);
  for (double frequency = 2; frequency <= 45; frequency += 1.7) {
    const WaveSeries s = Draw(frequency, {1, 0.3}, 0.3, 150, random);
    const std::vector<Wave> waves = LikelyWaves(s.x, s.y, 3);
    ASSERT_FALSE(waves.empty());
    EXPECT_NEAR(waves[0].frequency, frequency, 0.1);
  }
}

// The strongest wave is the second or third harmonic, so the strongest sine is not the answer.
TEST(LikelyWaves, AHarmonicIsNotTakenForThePeriod) {
  RandomStream random(6);
  for (double frequency = 1.6; frequency <= 9; frequency += 0.7) {
    for (const std::vector<double>& amplitudes : {std::vector<double>{0.5, 1, 0.3}, {0.4, 0.5, 1, 0.2}}) {
      const WaveSeries s = Draw(frequency, amplitudes, 0.1, 120, random);
      const std::vector<Wave> waves = LikelyWaves(s.x, s.y, 2);
      ASSERT_FALSE(waves.empty());
      EXPECT_NEAR(waves[0].frequency, frequency, 0.06);
    }
  }
}

TEST(LikelyWaves, BestFirstApartFromEachOtherAndWhateverTheScaleOfTheTargets) {
  RandomStream random(7);
  for (int n = 8; n <= 200; n += 12) {
    const WaveSeries s = Draw(4.3, {1, 0.5, 0.5}, 0.2, n, random);
    const std::vector<Wave> waves = LikelyWaves(s.x, s.y, 6), scaled = LikelyWaves(s.x, 1e3 * s.y, 6);
    EXPECT_LE(waves.size(), 6u);
    ASSERT_EQ(scaled.size(), waves.size());
    for (std::size_t k = 0; k < waves.size(); ++k) {
      EXPECT_GE(waves[k].frequency, 1);
      EXPECT_LE(waves[k].frequency, n / 2.0);
      EXPECT_GT(waves[k].lengthscale, 0);
      EXPECT_NEAR(scaled[k].frequency, waves[k].frequency, 1e-6);
      if (k == 0) continue;
      EXPECT_LE(waves[k - 1].nlml, waves[k].nlml);
      for (std::size_t j = 0; j < k; ++j) EXPECT_GE(std::abs(waves[k].frequency - waves[j].frequency), 0.1);
    }
  }
}

TEST(LikelyWaves, NoneWhereThereIsNothingToFind) {
  const Vector x = Vector::LinSpaced(50, 0, 1);
  EXPECT_TRUE(LikelyWaves(x, Vector::Zero(50), 6).empty());
  EXPECT_TRUE(LikelyWaves(x, 2 * x, 6).empty());
  EXPECT_TRUE(LikelyWaves(x, x.array().square(), 6).empty());
  EXPECT_TRUE(LikelyWaves(x.head(7), Vector::Random(7), 6).empty());
}

// All rows at one place, and at two: no division by what is not there.
TEST(LikelyWaves, RepeatedInputsAreFinite) {
  RandomStream random(8);
  Vector x = Vector::Zero(30), y(30);
  for (double& v : y) v = random.Normal();
  for (const Wave& wave : LikelyWaves(x, y, 6)) EXPECT_TRUE(std::isfinite(wave.nlml));
  x.tail(15).setOnes();
  for (const Wave& wave : LikelyWaves(x, y, 6)) EXPECT_TRUE(std::isfinite(wave.nlml));
}

}  // namespace
}  // namespace instantgp

#include "instantgp/training/curriculum.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace instantgp {
namespace {

TEST(Curriculum, DefaultGrowsFromOneDimensionToAll) {
  const TrainingConfig config = DefaultTrainingConfig();
  EXPECT_EQ(StageAt(config, 0).max_d, 1);
  EXPECT_EQ(StageAt(config, 0.17).max_d, 1);
  EXPECT_EQ(StageAt(config, 0.46).max_d, 8);
  EXPECT_EQ(StageAt(config, 1).max_d, 8);
  int last = 1;
  for (int i = 0; i <= 100; ++i) {
    const int d = StageAt(config, i / 100.0).max_d;
    EXPECT_GE(d, last);
    EXPECT_LE(d, last + 1) << "dimensions come one at a time";
    last = d;
  }
}

TEST(Curriculum, NoStagesMeansTheWholeRange) {
  TrainingConfig config = DefaultTrainingConfig();
  config.curriculum.clear();
  const SimulationOptions options = OptionsFor(config, StageAt(config, 0), 5);
  EXPECT_EQ(options.max_d, config.max_d);
  EXPECT_EQ(options.min_n, config.min_n);
  EXPECT_EQ(options.max_n, config.max_n);
}

// Every dataset of a stage lies within the stage's limits, and the shares are kept.
TEST(Curriculum, DatasetsRespectTheLimits) {
  TrainingConfig config = DefaultTrainingConfig();
  for (int max_d = 1; max_d <= 8; ++max_d) {
    CurriculumStage stage;
    stage.max_d = max_d;
    stage.max_n = 60 + 20 * max_d;
    stage.small_n = 30;
    stage.small_share = 0.5;
    stage.large_n = 300;
    stage.large_share = 0.1;
    int small = 0, large = 0, largest_d = 0;
    constexpr int kDatasets = 2000;
    for (int index = 0; index < kDatasets; ++index) {
      const SimulationOptions options = OptionsFor(config, stage, index);
      ASSERT_NO_THROW(options.Validate());
      const SimulatedSize size = DrawSize(options, config.seed, index);
      EXPECT_GE(size.n, config.min_n);
      EXPECT_LE(size.n, 300);
      EXPECT_LE(size.d, max_d);
      largest_d = std::max(largest_d, size.d);
      small += options.max_n == 30;
      large += size.n > stage.max_n;
    }
    EXPECT_EQ(largest_d, max_d);
    EXPECT_NEAR(small, 0.5 * kDatasets, 90);  // four standard deviations
    EXPECT_NEAR(large, 0.1 * kDatasets, 55);
  }
}

TEST(Curriculum, SizesAreThoseOfTheDrawnDatasets) {
  const TrainingConfig config = DefaultTrainingConfig();
  for (std::uint64_t index = 0; index < 40; ++index) {
    const SimulationOptions options = OptionsFor(config, StageAt(config, 0.5), index);
    const SimulatedSize size = DrawSize(options, config.seed, index);
    const Simulated data = Simulate(options, config.seed, index);
    if (data.tries > 1) continue;
    EXPECT_EQ(data.X.rows(), size.n);
    EXPECT_EQ(data.X.cols(), size.d);
  }
}

TEST(Curriculum, PhaseTwoDrawsPositivesOnly) {
  TrainingConfig config = DefaultTrainingConfig();
  config.loss.phase = 2;
  for (std::uint64_t index = 0; index < 20; ++index) {
    const Simulated data = Simulate(OptionsFor(config, StageAt(config, 0), index), config.seed, index);
    EXPECT_TRUE(data.positive);
    EXPECT_EQ(data.given, data.truth);
  }
}

}  // namespace
}  // namespace instantgp

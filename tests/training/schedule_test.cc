#include "instantgp/training/schedule.h"

#include <gtest/gtest.h>

namespace instantgp {
namespace {

ScheduleConfig Config(ScheduleKind kind) {
  ScheduleConfig config;
  config.kind = kind;
  config.peak = 2e-3;
  config.warmup_steps = 100;
  config.final_fraction = 0.1;
  return config;
}

TEST(Schedule, EveryKindWarmsUpLinearly) {
  for (const ScheduleKind kind : {ScheduleKind::kConstant, ScheduleKind::kCosine, ScheduleKind::kRestart}) {
    const ScheduleConfig config = Config(kind);
    EXPECT_DOUBLE_EQ(LearningRate(config, 1, 0), 2e-5);
    EXPECT_DOUBLE_EQ(LearningRate(config, 50, 0), 1e-3);
    EXPECT_DOUBLE_EQ(LearningRate(config, 100, 0), 2e-3);
  }
  ScheduleConfig none = Config(ScheduleKind::kConstant);
  none.warmup_steps = 0;
  EXPECT_DOUBLE_EQ(LearningRate(none, 1, 0), 2e-3);
}

TEST(Schedule, ConstantStays) {
  for (const double progress : {0.0, 0.3, 1.0}) {
    EXPECT_DOUBLE_EQ(LearningRate(Config(ScheduleKind::kConstant), 500, progress), 2e-3);
  }
}

TEST(Schedule, CosineFallsFromThePeakToTheFinalFraction) {
  const ScheduleConfig config = Config(ScheduleKind::kCosine);
  EXPECT_DOUBLE_EQ(LearningRate(config, 500, 0), 2e-3);
  EXPECT_NEAR(LearningRate(config, 500, 0.5), 2e-3 * 0.55, 1e-15);
  EXPECT_NEAR(LearningRate(config, 500, 1), 2e-4, 1e-15);
  EXPECT_NEAR(LearningRate(config, 500, 1.7), 2e-4, 1e-15);
  double last = 1;
  for (int i = 0; i <= 100; ++i) {
    const double rate = LearningRate(config, 500, i / 100.0);
    EXPECT_LE(rate, last);
    last = rate;
  }
}

TEST(Schedule, RestartsReturnToThePeak) {
  ScheduleConfig config = Config(ScheduleKind::kRestart);
  config.cycles = 3;
  config.cycle_growth = 2;  // lengths 1/7, 2/7, 4/7
  for (const double start : {0.0, 1 / 7.0, 3 / 7.0}) EXPECT_NEAR(LearningRate(config, 500, start + 1e-9), 2e-3, 1e-9);
  for (const double end : {1 / 7.0, 3 / 7.0, 1.0}) EXPECT_NEAR(LearningRate(config, 500, end - 1e-9), 2e-4, 1e-9);
  EXPECT_NEAR(LearningRate(config, 500, 5 / 7.0), 2e-3 * 0.55, 1e-9);
}

}  // namespace
}  // namespace instantgp

#include "instantgp/training/mixture.h"

#include <gtest/gtest.h>

#include <cmath>

#include "instantgp/base/thread_pool.h"
#include "instantgp/simulate/tables.h"
#include "instantgp/training/curriculum.h"
#include "instantgp/training/validation.h"
#include "tests/training/small_config.h"

namespace instantgp {
namespace {

using testing::SmallConfig;
using testing::SmallMixture;

bool SameData(const Simulated& a, const Simulated& b) {
  return a.X == b.X && a.y == b.y && a.theta == b.theta && a.truth == b.truth && a.given == b.given;
}

TEST(Mixture, SharesAreKept) {
  TrainingConfig config = SmallMixture();
  int tables = 0;
  constexpr int kDatasets = 10000;
  for (std::uint64_t index = 0; index < kDatasets; ++index) {
    tables += ComponentOf(config, index) == ComponentKind::kTables;
  }
  EXPECT_NEAR(tables, 0.6 * kDatasets, 4 * std::sqrt(0.24 * kDatasets));
  config = SmallConfig();
  for (std::uint64_t index = 0; index < 100; ++index) EXPECT_EQ(ComponentOf(config, index), ComponentKind::kPaper);
}

// Alone or in a mixture, dataset k of the paper's distribution is the one it always was.
TEST(Mixture, ThePaperComponentIsUnchangedBitForBit) {
  const TrainingConfig alone = SmallConfig(), mixed = SmallMixture();
  int paper = 0;
  for (std::uint64_t index = 0; index < 200; ++index) {
    const CurriculumStage stage = StageAt(alone, 0.5);
    const Simulated before = Simulate(OptionsFor(alone, stage, index), alone.seed, index);
    EXPECT_TRUE(SameData(DrawTrainingDataset(alone, stage, index), before));
    const Simulated now = DrawTrainingDataset(mixed, stage, index);
    if (ComponentOf(mixed, index) == ComponentKind::kPaper) {
      ++paper;
      EXPECT_TRUE(SameData(now, before));
    } else {
      EXPECT_TRUE(SameData(now, SimulateTable(mixed.Tables(), mixed.seed, index)));
    }
    const SimulatedSize size = DrawTrainingSize(mixed, stage, index);
    if (now.tries > 1) continue;
    EXPECT_EQ(now.X.rows(), size.n);
    EXPECT_EQ(now.X.cols(), size.d);
  }
  EXPECT_GT(paper, 50);
}

TEST(Mixture, ThePaperKeepsItsValidationSet) {
  const TrainingConfig alone = SmallConfig(), mixed = SmallMixture();
  ThreadPool pool(2);
  SingleProcess process;
  const ValidationSet before(alone, pool, process), now(mixed, pool, process);
  ASSERT_EQ(before.datasets().size(), now.datasets().size());
  for (std::size_t i = 0; i < before.datasets().size(); ++i) {
    EXPECT_TRUE(SameData(before.datasets()[i], now.datasets()[i]));
  }
}

TEST(Mixture, TablesHaveAFixedValidationSetOfPositives) {
  TrainingConfig config = SmallMixture();
  ThreadPool one(1), two(2);
  SingleProcess alone;
  ValidationSet a(config, one, alone, ComponentKind::kTables);
  config.seed = 999;
  config.loss.phase = 2;
  ValidationSet b(config, two, alone, ComponentKind::kTables);
  ASSERT_EQ(a.datasets().size(), static_cast<std::size_t>(config.validation.tables_datasets));
  for (std::size_t i = 0; i < a.datasets().size(); ++i) {
    EXPECT_TRUE(SameData(a.datasets()[i], b.datasets()[i]));
    EXPECT_TRUE(a.datasets()[i].positive);
    EXPECT_TRUE(std::isfinite(a.truth_nlml()[i]));
  }
  const Network<float> network(config.network);
  std::vector<float> weights(network.num_weights());
  network.Initialize(weights.data(), 1);
  const ValidationReport report = a.Evaluate(network, weights.data());
  EXPECT_EQ(report.truth.count + report.failed, config.validation.tables_datasets);
  EXPECT_GT(report.score, 0);
  EXPECT_LE(report.score, config.validation.gap_limit);
  // A higher limit lets bad datasets count for more.
  config.validation.gap_limit = 100;
  EXPECT_GE(ValidationSet(config, one, alone, ComponentKind::kTables).Evaluate(network, weights.data()).score,
            report.score);
}

TEST(Mixture, PhaseTwoDrawsPositivesOnly) {
  TrainingConfig config = SmallMixture();
  config.loss.phase = 2;
  for (std::uint64_t index = 0; index < 40; ++index) {
    EXPECT_TRUE(DrawTrainingDataset(config, StageAt(config, 0), index).positive);
  }
}

TEST(Mixture, TheTrainedRangeIsTheWidestOfTheComponents) {
  TrainingConfig config = DefaultTrainingConfig();
  EXPECT_EQ(config.LargestD(), 8);
  MixtureComponent tables;
  tables.kind = ComponentKind::kTables;
  tables.share = 0.5;
  config.mixture[0].share = 0.5;
  config.mixture.push_back(tables);
  EXPECT_EQ(config.LargestD(), 32);
  EXPECT_EQ(config.LargestN(), 1024);
  config.mixture[1].tables.large_share = 0;
  EXPECT_EQ(config.LargestN(), 512);
  config.mixture[1].tables.max_d = 4;
  EXPECT_EQ(config.LargestD(), 8);
  config.mixture.erase(config.mixture.begin());
  EXPECT_EQ(config.LargestD(), 4);
}

}  // namespace
}  // namespace instantgp

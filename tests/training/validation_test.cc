#include "instantgp/training/validation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "instantgp/base/file.h"
#include "instantgp/base/thread_pool.h"
#include "tests/training/small_config.h"

namespace instantgp {
namespace {

using testing::SmallConfig;
using testing::TemporaryFolder;

TEST(Validation, SummariesAreInterpolatedQuantiles) {
  const GapSummary s = Summarize({4, 1, 3, 2, 5});
  EXPECT_EQ(s.count, 5);
  EXPECT_DOUBLE_EQ(s.mean, 3);
  EXPECT_DOUBLE_EQ(s.median, 3);
  EXPECT_DOUBLE_EQ(s.p90, 4.6);
  EXPECT_EQ(Summarize({}).count, 0);
  EXPECT_DOUBLE_EQ(Summarize({2, 1}).median, 1.5);
}

TEST(Validation, TheSetIsFixedAndHalfPositive) {
  TrainingConfig config = SmallConfig();
  ThreadPool one(1), two(2);
  SingleProcess alone;
  ValidationSet a(config, one, alone);
  config.seed = 999;      // the set does not depend on the training seed,
  config.loss.phase = 2;  // nor on the phase
  ValidationSet b(config, two, alone);
  int positives = 0;
  for (int i = 0; i < config.validation.datasets; ++i) {
    EXPECT_EQ(a.datasets()[i].X, b.datasets()[i].X);
    EXPECT_EQ(a.datasets()[i].y, b.datasets()[i].y);
    EXPECT_EQ(a.datasets()[i].given, b.datasets()[i].given);
    positives += a.datasets()[i].positive;
    EXPECT_EQ(std::isfinite(a.truth_nlml()[i]), a.datasets()[i].positive);
  }
  EXPECT_EQ(positives, config.validation.datasets / 2);
}

TEST(Validation, GapsAreThoseOfTheBestHypothesis) {
  const TrainingConfig config = SmallConfig();
  ThreadPool pool(2);
  SingleProcess alone;
  ValidationSet set(config, pool, alone);
  set.FitType2("", {});
  const Network<float> network(config.network);
  std::vector<float> weights(network.num_weights());
  network.Initialize(weights.data(), 1);
  const ValidationReport report = set.Evaluate(network, weights.data());
  EXPECT_EQ(report.failed, 0);
  EXPECT_EQ(report.truth.count, config.validation.datasets / 2);
  EXPECT_EQ(report.type2.count, config.validation.datasets);
  int by_d = 0;
  for (const auto& [d, summary] : report.truth_by_d) by_d += summary.count;
  EXPECT_EQ(by_d, report.truth.count);
  EXPECT_EQ(report.truth_with_per.count + report.truth_without_per.count, report.truth.count);
  // By hand for one dataset.
  const Simulated& data = set.datasets()[0];
  Workspace<float> workspace;
  Embedding<float> encoding;
  Matrix theta;
  network.Encode(weights.data(), data.X, data.y, workspace, &encoding);
  network.Decode(weights.data(), encoding, data.given, workspace, &theta);
  EXPECT_EQ(theta.cols(), config.network.hypotheses);
  // The likelihood at the optimum is below that at random weights.
  EXPECT_GT(report.type2.median, 0);
  EXPECT_LE(report.truth.median, report.truth.p90);
}

TEST(Validation, TypeTwoIsCached) {
  const TrainingConfig config = SmallConfig();
  ThreadPool pool(1);
  SingleProcess alone;
  TemporaryFolder folder;
  const std::string path = folder / "type2.json";
  ValidationSet first(config, pool, alone);
  first.FitType2(path, {});
  const std::string bytes = ReadFile(path);
  ValidationSet again(config, pool, alone);
  again.FitType2(path, {});
  EXPECT_EQ(again.type2_nlml(), first.type2_nlml());
  // Another set or a damaged cache is fitted anew.
  for (const std::string& bad : {std::string("{"), std::string("{\"key\": \"x\", \"nlml\": []}"), std::string("[1]")}) {
    WriteFileAtomically(path, bad);
    ValidationSet third(config, pool, alone);
    third.FitType2(path, {});
    EXPECT_EQ(third.type2_nlml(), first.type2_nlml());
    EXPECT_EQ(ReadFile(path), bytes);
  }
  std::stop_source stopped;
  stopped.request_stop();
  ValidationSet fourth(config, pool, alone);
  fourth.FitType2(folder / "other.json", stopped.get_token());
  EXPECT_TRUE(fourth.type2_nlml().empty());
  EXPECT_FALSE(std::filesystem::exists(folder / "other.json"));
}

}  // namespace
}  // namespace instantgp

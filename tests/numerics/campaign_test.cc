// A few cases of the campaign, in every build; the whole of it is the program numerics_campaign.
#include "tests/numerics/campaign.h"

#include <gtest/gtest.h>

namespace instantgp::testing {
namespace {

TEST(Campaign, HardTablesEndInAModelOrAMessage) {
  CampaignOptions options;
  options.count = 450;
  options.rows = 60;
  const CampaignCounts counts = RunCampaign(options);
  for (const std::string& failure : counts.failures) ADD_FAILURE() << failure;
  std::int64_t models = 0, all = 0;
  for (const auto& [method, ends] : counts.outcomes) {
    for (const auto& [end, count] : ends) {
      all += count;
      if (end == "ok") models += count;
    }
  }
  EXPECT_EQ(all, options.count);
  EXPECT_EQ(counts.outcomes.size(), 9u) << "a method was never asked";
  EXPECT_GT(models, options.count / 2) << "most tables can be fitted";
}

// As long as tables are drawn the same way; whoever changes that may remove the case.
TEST(Campaign, CasesThatFailedOnce) {
  CampaignOptions options;
  options.count = 1;
  options.seed = 2026;
  options.first = 23683;  // neighbours with a linear part, far from the rows: a joint variance below 0
  const CampaignCounts counts = RunCampaign(options);
  for (const std::string& failure : counts.failures) ADD_FAILURE() << failure;
}

TEST(Campaign, ACaseIsTheSameWhateverTheThreads) {
  CampaignOptions options;
  options.first = 1000;
  options.count = 60;
  options.rows = 20;
  options.threads = 1;
  const CampaignCounts one = RunCampaign(options);
  options.threads = 2;
  EXPECT_EQ(RunCampaign(options).outcomes, one.outcomes);
}

}  // namespace
}  // namespace instantgp::testing

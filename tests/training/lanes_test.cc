#include "instantgp/training/lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "instantgp/base/rng.h"

namespace instantgp {
namespace {

TEST(Lanes, EveryDatasetOnceAndBalanced) {
  RandomStream random(11);
  for (int trial = 0; trial < 300; ++trial) {
    const int items = random.UniformInt(1, 64);
    const int lanes = random.UniformInt(1, items);
    std::vector<double> costs(items);
    for (double& cost : costs) cost = random.Exponential(1.0);
    const LanePlan plan = AssignLanes(costs, lanes);
    std::vector<int> seen;
    double largest = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      const std::vector<int>& members = plan.members[lane];
      EXPECT_TRUE(std::is_sorted(members.begin(), members.end()));
      double cost = 0;
      for (const int item : members) cost += costs[item];
      EXPECT_NEAR(cost, plan.cost[lane], 1e-12);
      largest = std::max(largest, cost);
      seen.insert(seen.end(), members.begin(), members.end());
    }
    std::sort(seen.begin(), seen.end());
    std::vector<int> all(items);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(seen, all);
    // No plan is better than the mean load and the largest item.
    const double bound = std::max(std::accumulate(costs.begin(), costs.end(), 0.0) / lanes,
                                  *std::max_element(costs.begin(), costs.end()));
    EXPECT_LE(largest, 2 * bound);
  }
}

TEST(Lanes, RanksCoverAllLanesOnce) {
  for (int lanes = 1; lanes <= 16; ++lanes) {
    for (int size = 1; size <= lanes; ++size) {
      int next = 0;
      for (int rank = 0; rank < size; ++rank) {
        const LaneRange range = LanesOfRank(lanes, rank, size);
        EXPECT_EQ(range.first, next);
        EXPECT_GT(range.last, range.first) << "a rank without work";
        next = range.last;
      }
      EXPECT_EQ(next, lanes);
    }
  }
}

}  // namespace
}  // namespace instantgp

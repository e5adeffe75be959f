#include "instantgp/data/split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "instantgp/base/error.h"

namespace instantgp {
namespace {

void ExpectDisjointAscending(const Split& split, int n) {
  EXPECT_TRUE(std::is_sorted(split.train.begin(), split.train.end()));
  EXPECT_TRUE(std::is_sorted(split.test.begin(), split.test.end()));
  std::set<int> rows(split.train.begin(), split.train.end());
  rows.insert(split.test.begin(), split.test.end());
  EXPECT_EQ(rows.size(), split.train.size() + split.test.size());
  if (rows.empty()) return;
  EXPECT_GE(*rows.begin(), 0);
  EXPECT_LT(*rows.rbegin(), n);
}

TEST(Split, HoldoutDividesAllRows) {
  for (int n = 2; n < 40; ++n) {
    for (const double fraction : {1e-9, 0.1, 0.2, 0.5, 0.999}) {
      const Split split = HoldoutSplit(n, fraction, 1);
      ExpectDisjointAscending(split, n);
      EXPECT_EQ(static_cast<int>(split.train.size() + split.test.size()), n);
      EXPECT_EQ(static_cast<int>(split.test.size()), std::clamp(static_cast<int>(std::lround(fraction * n)), 1, n - 1));
    }
  }
}

TEST(Split, IsDecidedByTheSeed) {
  EXPECT_EQ(HoldoutSplit(100, 0.3, 7).test, HoldoutSplit(100, 0.3, 7).test);
  EXPECT_NE(HoldoutSplit(100, 0.3, 7).test, HoldoutSplit(100, 0.3, 8).test);
}

TEST(Split, EveryRowIsHeldOutEquallyOften) {
  constexpr int kSeeds = 20000;
  std::vector<int> held_out(10);
  for (int seed = 0; seed < kSeeds; ++seed) {
    for (const int row : HoldoutSplit(10, 0.3, static_cast<std::uint64_t>(seed)).test) ++held_out[row];
  }
  for (const int count : held_out) EXPECT_LT(std::abs(count - 0.3 * kSeeds), 6 * std::sqrt(0.21 * kSeeds));
}

TEST(Split, CountsAreKept) {
  for (int n_train = 1; n_train <= 10; ++n_train) {
    for (const int n_test : {-1, 0, 3, 100}) {
      const Split split = CountSplit(10, n_train, n_test, 3);
      ExpectDisjointAscending(split, 10);
      EXPECT_EQ(static_cast<int>(split.train.size()), n_train);
      EXPECT_EQ(static_cast<int>(split.test.size()), n_test < 0 ? 10 - n_train : std::min(n_test, 10 - n_train));
    }
  }
}

TEST(Split, RefusesWhatCannotBeDivided) {
  for (const double fraction : {0.0, 1.0, -0.5, 2.0, std::nan("")}) {
    EXPECT_THROW(HoldoutSplit(10, fraction, 1), Error) << fraction;
  }
  EXPECT_THROW(HoldoutSplit(1, 0.5, 1), Error);
  EXPECT_THROW(CountSplit(10, 0, 1, 1), Error);
  EXPECT_THROW(CountSplit(10, 11, 1, 1), Error);
}

}  // namespace
}  // namespace instantgp

#include "instantgp/inference/linear_guess.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "instantgp/base/rng.h"
#include "instantgp/data/dataset.h"
#include "instantgp/inference/type2_ml.h"
#include "instantgp/kernel/parse.h"
#include "tests/support/tables.h"

namespace instantgp {
namespace {

// y = 3 x1 - x3 + noise, of five columns, standardised.
struct Sum {
  Matrix X;
  Vector y;
  double noise;  // of the variance
};
Sum DrawSum(int n, double noise_std, std::uint64_t seed) {
  RandomStream random(seed);
  Sum table{testing::UniformMatrix(random, n, 5), {}, 0};
  table.y = 3 * table.X.col(0) - table.X.col(2) + noise_std * testing::NormalVector(random, n);
  table.y.array() -= table.y.mean();
  const double mean_square = table.y.squaredNorm() / n;
  table.noise = noise_std * noise_std / mean_square;
  table.y /= std::sqrt(mean_square);
  return table;
}

NlmlPoint BestOf(const Sum& table, const Expression& expression, const std::vector<NoiseLadder>& ladders) {
  return RankLadders(Covariance(expression), {table.X, table.y}, ladders, nullptr, -40, nullptr).front();
}

TEST(LinearGuess, IsAsGoodAsTypeTwoMlForALine) {
  const Expression expression = ParseKernel("SE", DefaultColumnNames(5));
  for (const double noise : {0.1, 0.01, 0.001}) {
    const Sum table = DrawSum(80, noise, 5);
    const std::vector<NoiseLadder> ladders =
        LinearLadders(Covariance(expression), table.X, table.y, StandardStart(expression), 10 * table.noise);
    ASSERT_FALSE(ladders.empty()) << noise;
    const double best = BestOf(table, expression, ladders).value.nlml;
    const Type2Result ml = FitType2(expression, table.X, table.y, {});
    EXPECT_LT(best, ml.nlml + 0.15) << noise;
  }
}

TEST(LinearGuess, NoneWhereALineLeavesMore) {
  const Expression expression = ParseKernel("SE", DefaultColumnNames(5));
  const Sum table = DrawSum(80, 0.3, 5);
  EXPECT_TRUE(
      LinearLadders(Covariance(expression), table.X, table.y, StandardStart(expression), 0.3 * table.noise).empty());
  // With hardly more rows than columns a line explains anything.
  const Sum few = DrawSum(9, 0.01, 5);
  EXPECT_TRUE(LinearLadders(Covariance(expression), few.X, few.y, StandardStart(expression), 1).empty());
}

TEST(LinearGuess, ColumnsThatRepeatEachOtherAreNoTrouble) {
  const Expression expression = ParseKernel("SE", DefaultColumnNames(5));
  Sum table = DrawSum(80, 0.01, 6);
  table.X.col(1) = table.X.col(0);
  table.X.col(3).setConstant(0.5);
  const std::vector<NoiseLadder> ladders =
      LinearLadders(Covariance(expression), table.X, table.y, StandardStart(expression), 0.1);
  ASSERT_FALSE(ladders.empty());
  for (const NoiseLadder& ladder : ladders) {
    EXPECT_TRUE(ladder.theta.allFinite());
    EXPECT_NEAR(ladder.theta[1], ladder.theta[3], 1e-6) << "the slope is shared";
  }
  EXPECT_LT(BestOf(table, expression, ladders).value.nlml, -2);
}

}  // namespace
}  // namespace instantgp

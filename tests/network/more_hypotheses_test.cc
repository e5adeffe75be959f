#include "instantgp/network/more_hypotheses.h"

#include <gtest/gtest.h>

#include <cmath>

#include "instantgp/network/network.h"
#include "tests/network/small_networks.h"

namespace instantgp {
namespace {

NetworkWeights WithHypotheses(int hypotheses) {
  NetworkConfig config = testing::ShrunkenPreset("base");
  config.hypotheses = hypotheses;
  return {config, testing::RandomWeights(Network<float>(config), 4), 77, {{"score", 0.5}}};
}

// All of them, for a small table.
Matrix Decoded(const NetworkWeights& weights) {
  const Network<float> network(weights.config);
  RandomStream random(3);
  Matrix X(12, 2);
  Vector y(12);
  for (Index i = 0; i < 12; ++i) X(i, 0) = random.Uniform(), X(i, 1) = random.Uniform(), y[i] = random.Normal();
  Workspace<float> workspace;
  Embedding<float> encoding;
  Matrix theta;
  network.Encode(weights.values.data(), X, y, workspace, &encoding);
  const Structure structure{{0, 1}, {{BaseSymbol::kSE}, {BaseSymbol::kLIN, BaseSymbol::kPER}}};
  network.Decode(weights.values.data(), encoding, structure, workspace, &theta);
  return theta;
}

TEST(MoreHypotheses, TheFirstOnesStayAndTheNewOnesAreNeighboursOfTheirModels) {
  for (const int before : {2, 3, 4}) {
    const NetworkWeights given = WithHypotheses(before);
    const Matrix old = Decoded(given);
    for (int after = before; after <= 16; after += 3) {
      const NetworkWeights more = WithMoreHypotheses(given, after, 1);
      EXPECT_EQ(more.config.hypotheses, after);
      EXPECT_EQ(more.datasets_seen, given.datasets_seen);
      ASSERT_EQ(more.values.size(), Network<float>(more.config).num_weights());
      const Matrix theta = Decoded(more);
      ASSERT_EQ(theta.cols(), after);
      for (int k = 0; k < after; ++k) {
        const double moved = (theta.col(k) - old.col(k % before)).cwiseAbs().maxCoeff();
        if (k < before) {
          EXPECT_LT(moved, 1e-5);
        } else {
          EXPECT_GT(moved, 1e-4) << "the copy could never part from its model";
          EXPECT_LT(moved, 2);
        }
      }
    }
  }
}

TEST(MoreHypotheses, ASingleOneHasNoEmbeddingAndStaysTheFirst) {
  const NetworkWeights given = WithHypotheses(1);
  const Matrix old = Decoded(given), theta = Decoded(WithMoreHypotheses(given, 4, 1));
  ASSERT_EQ(theta.cols(), 4);
  EXPECT_LT((theta.col(0) - old.col(0)).cwiseAbs().maxCoeff(), 1e-5);
  for (int k = 1; k < 4; ++k) EXPECT_GT((theta.col(k) - old.col(0)).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(MoreHypotheses, RepeatsBySeed) {
  const NetworkWeights given = WithHypotheses(2);
  EXPECT_EQ(WithMoreHypotheses(given, 8, 5).values, WithMoreHypotheses(given, 8, 5).values);
  EXPECT_NE(WithMoreHypotheses(given, 8, 5).values, WithMoreHypotheses(given, 8, 6).values);
  EXPECT_EQ(WithMoreHypotheses(given, 2, 5).values, given.values);
  EXPECT_THROW(WithMoreHypotheses(given, 1, 5), std::logic_error);
}

}  // namespace
}  // namespace instantgp

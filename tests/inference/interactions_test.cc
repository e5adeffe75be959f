#include "instantgp/inference/interactions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "instantgp/base/rng.h"
#include "instantgp/inference/oneshot.h"
#include "instantgp/inference/trained_network.h"
#include "instantgp/inference/type2_ml.h"
#include "instantgp/kernel/parse.h"
#include "instantgp/kernel/structure.h"
#include "tests/support/tables.h"

namespace instantgp {
namespace {

// Every product by itself, as the header defines it.
Interaction StrongestByDefinition(const Matrix& X, const Vector& alpha) {
  const Index n = X.rows(), d = X.cols();
  Matrix Z = X.rowwise() - X.colwise().mean();
  for (Index j = 0; j < d; ++j) Z.col(j) /= std::sqrt(Z.col(j).squaredNorm() / static_cast<double>(n));
  Interaction strongest;
  for (Index i = 0; i < d; ++i) {
    for (Index j = i + 1; j < d; ++j) {
      for (Index k = j + 1; k <= d; ++k) {  // d: none
        Vector phi = Z.col(i).cwiseProduct(Z.col(j));
        if (k < d) phi = phi.cwiseProduct(Z.col(k));
        const double strength =
            static_cast<double>(n) * std::pow(phi.dot(alpha), 2) / (phi.squaredNorm() * alpha.squaredNorm());
        if (strength <= strongest.strength) continue;
        strongest = {{static_cast<int>(i), static_cast<int>(j)}, strength};
        if (k < d) strongest.columns.push_back(static_cast<int>(k));
      }
    }
  }
  return strongest;
}

TEST(Interactions, TheStrongestIsThatOfTheDefinition) {
  for (const int d : {2, 3, 4, 7}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      RandomStream random(seed);
      const Matrix X = testing::UniformMatrix(random, 25, d);
      const Vector alpha = testing::NormalVector(random, 25);
      const Interaction found = StrongestInteraction(X, alpha), expected = StrongestByDefinition(X, alpha);
      EXPECT_EQ(found.columns, expected.columns) << d << " " << seed;
      EXPECT_NEAR(found.strength, expected.strength, 1e-9 * expected.strength);
    }
  }
}

TEST(Interactions, NothingWhereThereIsNothing) {
  RandomStream random(3);
  EXPECT_TRUE(
      StrongestInteraction(testing::UniformMatrix(random, 9, 1), testing::NormalVector(random, 9)).columns.empty());
  EXPECT_TRUE(StrongestInteraction(testing::UniformMatrix(random, 9, 3), Vector::Zero(9)).columns.empty());
  EXPECT_TRUE(StrongestInteraction(Matrix::Constant(9, 3, 0.5), testing::NormalVector(random, 9)).columns.empty());
}

// Residuals that owe nothing to the columns: no candidate, whatever the columns look like.
TEST(Interactions, ChanceDoesNotLookLikeOne) {
  const Expression expression = ParseKernel("SE", DefaultColumnNames(24));
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream random(seed);
    Matrix X = testing::UniformMatrix(random, 300, 24);
    for (Index j = 0; j < 24; j += 3) X.col(j) = X.col(j).array().pow(4);                  // skewed
    for (Index j = 1; j < 24; j += 3) X.col(j) = (X.col(j).array() < 0.2).cast<double>();  // two levels
    const Vector alpha = testing::NormalVector(random, 300);
    EXPECT_TRUE(InteractionLadders(Covariance(expression), X, alpha, StandardStart(expression)).empty()) << seed;
  }
}

struct Arm {
  Matrix X;
  Vector y;
};

// An arm whose torque acts by its angle, and by two further columns only as a product.
Arm DrawArm(int n, int d, std::uint64_t seed) {
  RandomStream random(seed);
  Arm table{testing::UniformMatrix(random, n, d), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    const double angle = 2 * table.X(i, 4) - 1, torque = table.X(i, 6) - 0.5;
    const double pair = (table.X(i, 1) - 0.5) * (table.X(i, 7) - 0.5);
    table.y[i] = torque * std::cos(2 * angle) + 2 * pair * angle + 0.1 * random.Normal();
  }
  table.y.array() -= table.y.mean();
  table.y /= std::sqrt(table.y.squaredNorm() / n);
  return table;
}

TEST(Interactions, CandidatesHaveShorterLengthscalesWhereColumnsJoinAndNowhereElse) {
  const Arm table = DrawArm(300, 12, 1);
  for (const std::string kernel : {"SE", "MAT52", "SE + LIN"}) {
    const Expression expression = ParseKernel(kernel, DefaultColumnNames(12));
    const ParameterTable parameters(expression);
    LogParameters answer = StandardStart(expression);
    const std::vector<Index> lengthscales =
        parameters.Rows(ParameterKind::kLengthscale, {Elementary::kSE, Elementary::kMAT52});
    for (const Index row : lengthscales) answer[row] = std::log(30.0);
    const std::vector<NoiseLadder> ladders = InteractionLadders(Covariance(expression), table.X, table.y, answer);
    ASSERT_FALSE(ladders.empty()) << kernel;
    for (const NoiseLadder& ladder : ladders) {
      for (Index row = 0; row < answer.kernel_size(); ++row) {
        const int column = parameters[static_cast<std::size_t>(row)].column;
        const bool joins = std::ranges::count(lengthscales, row) > 0 && (column == 1 || column == 4 || column == 7);
        EXPECT_EQ(ladder.theta[row] < answer[row], joins) << kernel << " " << row;
      }
    }
  }
  // Nothing to shorten; too few columns.
  const Expression lines = ParseKernel("LIN", DefaultColumnNames(12));
  EXPECT_TRUE(InteractionLadders(Covariance(lines), table.X, table.y, StandardStart(lines)).empty());
  const Expression few = ParseKernel("SE", DefaultColumnNames(7));
  EXPECT_TRUE(InteractionLadders(Covariance(few), table.X.leftCols(7), table.y, StandardStart(few)).empty());
}

// Without the candidates two of the three end above 0.94.
TEST(Interactions, OneShotFindsColumnsThatMatterTogether) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Arm table = DrawArm(400, 28, seed);
    const TrainedNetwork& network = TrainedNetwork::Embedded();
    const Encoding encoding = network.Encode(Dataset::Of(table.X, table.y));
    const Structure structure = *ToStructure(ParseKernel("SE", DefaultColumnNames(28)));
    const OneShot answer = InferOneShot(network, encoding, structure);
    EXPECT_LT(answer.posterior.nlml(), 0.9) << seed;
  }
}

}  // namespace
}  // namespace instantgp

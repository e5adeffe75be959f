#include "instantgp/inference/relevant_columns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "instantgp/base/rng.h"
#include "instantgp/inference/oneshot.h"
#include "instantgp/kernel/parse.h"
#include "instantgp/kernel/structure.h"

namespace instantgp {
namespace {

// Uniform columns; column 3 matters by itself, 5 and 6 through their product alone.
struct FewOfMany {
  Matrix X;
  Vector y;
};
FewOfMany DrawFewOfMany(int n, int d, std::uint64_t seed) {
  RandomStream random(seed);
  FewOfMany table{Matrix(n, d), Vector(n)};
  for (Index i = 0; i < table.X.size(); ++i) table.X.data()[i] = random.Uniform();
  for (int i = 0; i < n; ++i) {
    const auto x = table.X.row(i);
    table.y[i] = std::sin(5 * x[3]) + 4 * (x[5] - 0.5) * std::cos(6 * x[6]) + 0.1 * random.Normal();
  }
  table.y.array() -= table.y.mean();
  table.y /= std::sqrt(table.y.squaredNorm() / n);
  return table;
}

TEST(RelevantColumns, ThoseThatMatterStandOut) {
  const FewOfMany table = DrawFewOfMany(400, 12, 1);
  const Vector relevance = RelevanceOf(table.X, table.y);
  double most = 0, least = 1e9;
  for (Index j = 0; j < 12; ++j) {
    const bool matters = j == 3 || j == 5 || j == 6;
    if (matters) {
      least = std::min(least, relevance[j]);
    } else {
      most = std::max(most, relevance[j]);
    }
  }
  EXPECT_GT(least, 1.5 * most);
}

TEST(RelevantColumns, ByChanceTheRatioIsOne) {
  RandomStream random(4);
  double sum = 0;
  for (int k = 0; k < 50; ++k) {
    Matrix X(200, 1);
    Vector y(200);
    for (int i = 0; i < 200; ++i) {
      X(i, 0) = random.Uniform();
      y[i] = random.Normal();
    }
    sum += RelevanceOf(X, y)[0];
  }
  EXPECT_NEAR(sum / 50, 1.3, 0.25);  // the larger of two that are 1 on average
}

TEST(RelevantColumns, TheOrderOfRowsDoesNotMatterNorDoTies) {
  FewOfMany table = DrawFewOfMany(90, 9, 2);
  table.X.col(3) = (3 * table.X.col(3).array()).floor();
  table.X.col(7).setConstant(2);
  const Vector relevance = RelevanceOf(table.X, table.y);
  EXPECT_EQ(relevance[7], 0);
  std::vector<int> order(90);
  std::iota(order.begin(), order.end(), 0);
  std::reverse(order.begin(), order.end());
  std::rotate(order.begin(), order.begin() + 31, order.end());
  const Vector other = RelevanceOf(table.X(order, Eigen::all), table.y(order));
  EXPECT_LT((relevance - other).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(RelevanceOf(table.X, Vector::Zero(90)).norm(), 0);
}

Structure SeOn(int d) {
  std::vector<std::string> names;
  for (int j = 0; j < d; ++j) names.push_back("x" + std::to_string(j + 1));
  return *ToStructure(ParseKernel("SE", names));
}

TEST(RelevantColumns, FewColumnsAreLeftAsTheyAre) {
  const FewOfMany table = DrawFewOfMany(50, 9, 3);
  for (const int d : {7, 8, 9}) {
    const Structure structure = SeOn(d);
    const Matrix theta = Matrix::Zero(2 * d + 1, 4);
    const Matrix with = WithGuessedColumns(structure, table.X.leftCols(d), table.y, theta);
    EXPECT_EQ(with.leftCols(4), theta);
    EXPECT_EQ(with.cols(), d == 7 ? 4 : d == 8 ? 6 : 7) << d;
  }
}

// What a part of the rows cannot show to a kernel in which all of 24 columns matter.
TEST(RelevantColumns, AFunctionOfThreeOfManyColumnsIsFound) {
  const TrainedNetwork& network = TrainedNetwork::Embedded();
  for (const std::uint64_t seed : {11, 12, 13}) {
    const FewOfMany table = DrawFewOfMany(400, 24, seed);
    const OneShot found = InferOneShot(network, network.Encode(AlreadyScaled(table.X, table.y)), SeOn(24));
    EXPECT_LT(found.posterior.theta().noise(), std::log(0.1)) << seed;
  }
}

}  // namespace
}  // namespace instantgp

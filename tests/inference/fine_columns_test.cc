#include "instantgp/inference/fine_columns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
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

// Pupils of schools: the target is the school's, whatever its number, and a little of the pupil's own.
struct Schools {
  Matrix X;  // school (scaled to [0, 1]) and further columns that say nothing
  Vector y;
};
Schools DrawSchools(int n, int schools, int d, std::uint64_t seed) {
  RandomStream random(seed);
  const Vector level = testing::NormalVector(random, schools);
  Schools table{testing::UniformMatrix(random, n, d), Vector(n)};
  for (int i = 0; i < n; ++i) {
    const int school = std::min(schools - 1, static_cast<int>(schools * random.Uniform()));
    table.X(i, 1) = school / (schools - 1.0);
    table.y[i] = level[school] + 0.1 * random.Normal();
  }
  table.y.array() -= table.y.mean();
  table.y /= std::sqrt(table.y.squaredNorm() / n);
  return table;
}

// The definition, averaged over random orders of equal values.
double LeftByDefinition(const Vector& x, const Vector& y, int orders) {
  RandomStream random(9);
  double sum = 0;
  for (int k = 0; k < orders; ++k) {
    std::vector<std::pair<double, double>> keys;
    std::vector<int> order(static_cast<std::size_t>(x.size()));
    std::iota(order.begin(), order.end(), 0);
    for (int i = 0; i < x.size(); ++i) keys.emplace_back(x[i], random.Uniform());
    std::sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] < keys[b]; });
    for (std::size_t i = 1; i < order.size(); ++i) sum += std::pow(y[order[i]] - y[order[i - 1]], 2);
  }
  return sum / orders / (2 * (y.array() - y.mean()).square().sum());
}

TEST(FineColumns, WhatIsLeftIsTheDefinitionWithAndWithoutTies) {
  for (const int schools : {2, 5, 30}) {
    const Schools table = DrawSchools(60, schools, 3, static_cast<std::uint64_t>(schools));
    const Vector left = LeftBetweenNeighbours(table.X, table.y);
    EXPECT_NEAR(left[1], LeftByDefinition(table.X.col(1), table.y, 4000), 0.01);
    for (const int j : {0, 2}) EXPECT_NEAR(left[j], LeftByDefinition(table.X.col(j), table.y, 1), 1e-12);
  }
}

TEST(FineColumns, ByChanceEverythingIsLeft) {
  RandomStream random(4);
  double sum = 0;
  for (int k = 0; k < 50; ++k) {
    sum += LeftBetweenNeighbours(testing::UniformMatrix(random, 200, 1), testing::NormalVector(random, 200))[0];
  }
  EXPECT_NEAR(sum / 50, 1, 0.03);
  EXPECT_EQ(LeftBetweenNeighbours(Matrix::Random(5, 2), Vector::Constant(5, 3)), Vector::Ones(2));
}

TEST(FineColumns, TheOrderOfRowsDoesNotMatter) {
  const Schools table = DrawSchools(80, 12, 3, 7);
  const Vector left = LeftBetweenNeighbours(table.X, table.y);
  Schools turned = table;
  for (Index i = 0; i < 80; ++i) {
    turned.X.row(i) = table.X.row(79 - i);
    turned.y[i] = table.y[79 - i];
  }
  EXPECT_LE((left - LeftBetweenNeighbours(turned.X, turned.y)).norm(), 1e-13);
}

TEST(FineColumns, OnlyColumnsThatLeaveLessBecomeCandidates) {
  const Schools table = DrawSchools(200, 40, 3, 1);
  const Vector left = LeftBetweenNeighbours(table.X, table.y);
  const Expression expression = ParseKernel("SE", DefaultColumnNames(3));
  const LogParameters answer = StandardStart(expression);
  EXPECT_TRUE(FineLadders(Covariance(expression), table.X, table.y, answer, 0.9 * left[1]).empty());
  const std::vector<NoiseLadder> ladders = FineLadders(Covariance(expression), table.X, table.y, answer, 1.1 * left[1]);
  ASSERT_FALSE(ladders.empty());
  for (const NoiseLadder& ladder : ladders) {
    EXPECT_LT(ladder.theta[3], std::log(0.1));
    EXPECT_GT(ladder.theta[1], std::log(10.0));
    EXPECT_GT(ladder.theta[5], std::log(10.0));
  }
  // Nothing to make fine.
  const Expression lines = ParseKernel("LIN", DefaultColumnNames(3));
  EXPECT_TRUE(FineLadders(Covariance(lines), table.X, table.y, StandardStart(lines), 1).empty());
}

// Without the candidates the answer is noise alone (NLML 1.4), from every start; type-2 ML may find it or not.
TEST(FineColumns, OneShotFindsTheGroupsOfRows) {
  for (const char* kernel : {"SE", "MAT52", "SE + LIN"}) {
    for (const int n : {150, 400}) {
      const Schools table = DrawSchools(n, 50, 6, 3);
      const TrainedNetwork& network = TrainedNetwork::Embedded();
      const Encoding encoding = network.Encode(Dataset::Of(table.X, table.y));
      const Structure structure = *ToStructure(ParseKernel(kernel, DefaultColumnNames(6)));
      const OneShot answer = InferOneShot(network, encoding, structure);
      EXPECT_LT(answer.posterior.nlml(), n == 150 ? 1.25 : 0.6) << kernel << " " << n;
    }
  }
}

// Steps may end at a function so rough that no two rows share it: hardly any noise by its parameters, all of it by its
// likelihood (1.4). The column must be looked for there too; before, four of these ten draws ended so.
TEST(FineColumns, GroupsAreFoundWhereTheAnswerCallsNoiseAFunction) {
  for (std::uint64_t seed = 16; seed <= 25; ++seed) {
    const Schools table = DrawSchools(150, 50, 6, seed);
    const TrainedNetwork& network = TrainedNetwork::Embedded();
    const Encoding encoding = network.Encode(Dataset::Of(table.X, table.y));
    const Structure structure = *ToStructure(ParseKernel("SE", DefaultColumnNames(6)));
    EXPECT_LT(InferOneShot(network, encoding, structure).posterior.nlml(), 0.8) << seed;
  }
}

}  // namespace
}  // namespace instantgp

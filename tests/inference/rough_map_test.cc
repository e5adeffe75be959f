#include "instantgp/inference/rough_map.h"

#include <gtest/gtest.h>

#include <cmath>
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

// Heights measured here and there: a slope, hills a fifth of the map wide, and noise.
struct Map {
  Matrix X;
  Vector y;
};
Map DrawMap(int n, double noise, std::uint64_t seed) {
  RandomStream random(seed);
  const double a = 6.3 * random.Uniform(), b = 6.3 * random.Uniform();
  Map map{testing::UniformMatrix(random, n, 2), Vector(n)};
  for (int i = 0; i < n; ++i) {
    map.y[i] = map.X(i, 0) + std::sin(15 * map.X(i, 0) + a) * std::cos(15 * map.X(i, 1) + b) + noise * random.Normal();
  }
  map.y.array() -= map.y.mean();
  map.y /= std::sqrt(map.y.squaredNorm() / n);
  return map;
}

TEST(RoughMap, NearestRowsByDefinition) {
  Matrix X(4, 2);
  X << 0, 0, 0, 0, 3, 4, 3, 5;
  Vector y(4);
  y << 1, 2, 5, 8;
  // Pairs (0, 1) and (2, 3), each both ways: (1 + 1 + 9 + 9) / 2 of a sum of squares of 30.
  const NearestRows nearest = LookAtNearestRows(X, y);
  EXPECT_DOUBLE_EQ(nearest.left, 10.0 / 30);
  EXPECT_DOUBLE_EQ(nearest.distance, 5) << "rows 0 and 1 are at the same place; the median of 5, 5, 1, 1";
  // Equally near rows count by their mean: row 1 lies between.
  Matrix line(3, 1);
  line << 0, 1, 2;
  Vector heights(3);
  heights << 0, 0, 3;
  EXPECT_DOUBLE_EQ(LookAtNearestRows(line, heights).left, (0 + 4.5 + 9) / (2 * 6));
  EXPECT_EQ(LookAtNearestRows(line, Vector::Constant(3, 2)).left, 1);
  EXPECT_EQ(LookAtNearestRows(line.topRows(1), heights.head(1)).left, 1);
}

TEST(RoughMap, ByChanceEverythingIsLeft) {
  RandomStream random(4);
  double sum = 0;
  for (int k = 0; k < 50; ++k) {
    sum += LookAtNearestRows(testing::UniformMatrix(random, 200, 3), testing::NormalVector(random, 200)).left;
  }
  EXPECT_NEAR(sum / 50, 1, 0.03);
}

TEST(RoughMap, OnlyNearRowsThatLeaveLessBecomeCandidates) {
  const Map map = DrawMap(200, 0.1, 1);
  const auto [left, distance] = LookAtNearestRows(map.X, map.y);
  const Expression expression = ParseKernel("SE", DefaultColumnNames(2));
  const LogParameters answer = StandardStart(expression);
  EXPECT_TRUE(RoughLadders(Covariance(expression), map.X, map.y, answer, 0.9 * left).empty());
  const std::vector<NoiseLadder> ladders = RoughLadders(Covariance(expression), map.X, map.y, answer, 1.1 * left);
  ASSERT_EQ(ladders.size(), 2u);
  EXPECT_NEAR(ladders[0].theta[1], std::log(2 * distance), 1e-12);
  EXPECT_NEAR(ladders[1].theta[3] - ladders[0].theta[1], std::log(5.0 / 2), 1e-12);
  // A single column has its own candidates; rows far apart need none; lines have no lengthscale.
  const Expression one = ParseKernel("SE(x1)", DefaultColumnNames(2)),
                   lines = ParseKernel("LIN", DefaultColumnNames(2));
  EXPECT_TRUE(RoughLadders(Covariance(one), map.X, map.y, StandardStart(one), 1).empty());
  EXPECT_TRUE(RoughLadders(Covariance(lines), map.X, map.y, StandardStart(lines), 1).empty());
  Matrix corners(4, 2);
  corners << 0, 0, 0, 1, 1, 0, 1, 1;
  EXPECT_TRUE(RoughLadders(Covariance(expression), corners, corners.col(0), answer, 10).empty());
}

// Without the candidates these answers are a slope and noise: mean NLML 1.32 and 1.24; 0.87 and 1.02 today.
TEST(RoughMap, OneShotFindsTheHills) {
  const TrainedNetwork& network = TrainedNetwork::Embedded();
  const Expression kernel = ParseKernel("SE", DefaultColumnNames(2));
  for (const int n : {130, 220}) {
    double nlml = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const Map map = DrawMap(n, 0.2, seed);
      const Encoding encoding = network.Encode(Dataset::Of(map.X, map.y));
      nlml += InferOneShot(network, encoding, *ToStructure(kernel)).posterior.nlml() / 8;
    }
    EXPECT_LT(nlml, n == 130 ? 1.13 : 1.0) << n;
  }
}

}  // namespace
}  // namespace instantgp

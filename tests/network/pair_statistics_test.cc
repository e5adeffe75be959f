// Pair statistics against their definition, and their symmetries where pairs are subsampled.
#include "instantgp/network/ops/pair_statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "tests/network/naive_ops.h"
#include "tests/support/tables.h"

namespace instantgp {
namespace {

using testing::Difference;
using testing::Values;

Values Statistics(const Matrix& X, const Vector& y, double y_scale = 1) {
  Arena arena;
  Values out(X.cols() * kNumPairStatistics);
  PairStatistics<double>(X, y, y_scale, arena, out.data());
  return out;
}

// Pair by pair from the definition in the header.
Values ByDefinition(const Matrix& X, const Vector& y, double y_scale) {
  Values out;
  for (Index i = 0; i < X.cols(); ++i) {
    Values sum(kNumPairStatistics, 0.0), weight(kNumPairStatistics, 1.0);
    for (Index a = 0; a < X.rows(); ++a) {
      for (Index b = 0; b < a; ++b) {
        const double product = y[a] * y[b] / (y_scale * y_scale);
        const double distance = std::abs(X(a, i) - X(b, i));
        double closeness = 1;
        for (Index k = 0; k < X.cols(); ++k) {
          if (k != i) closeness *= std::pow(1 - std::abs(X(a, k) - X(b, k)), 2);
        }
        const int bin = std::min(static_cast<int>(40 * distance), 39);
        sum[bin] += product;
        weight[bin] += 1;
        sum[40 + bin] += closeness * product;
        weight[40 + bin] += closeness;
        if (distance < 0.1) {
          // Bin k ends at 0.1 / sqrt(2)^(15 - k).
          int near = 15;
          while (near > 0 && distance <= 0.1 / std::pow(2, (16 - near) / 2.0)) --near;
          sum[80 + near] += product;
          weight[80 + near] += 1;
        }
      }
    }
    for (int k = 0; k < kNumPairStatistics; ++k) out.push_back(sum[k] / weight[k]);
  }
  return out;
}

struct Data {
  Matrix X;
  Vector y;
};

Data RandomData(RandomStream& random, int n, int d) {
  Matrix X = testing::UniformMatrix(random, n, d);
  return {std::move(X), testing::NormalVector(random, n)};
}

TEST(PairStatistics, EqualTheDefinition) {
  RandomStream random(1);
  for (int n : {1, 2, 3, 4, 7, 8, 50, 51, kPairRows}) {
    for (int d : {1, 2, 5, 8}) {
      Data data = RandomData(random, n, d);
      if (n > 3) data.X.row(1) = data.X.row(2);  // a pair at distance 0
      EXPECT_LE(Difference(Statistics(data.X, data.y, 0.7), ByDefinition(data.X, data.y, 0.7)), 1e-12) << n << " " << d;
    }
  }
}

TEST(PairStatistics, BeyondAllPairsStillIgnoreRowOrderAndFollowColumns) {
  RandomStream random(2);
  for (int n : {kPairRows + 1, 400, 1000}) {
    const Data data = RandomData(random, n, 3);
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    for (int i = n - 1; i > 0; --i) std::swap(order[i], order[random.UniformInt(0, i)]);
    Data shuffled = data;
    for (int j = 0; j < n; ++j) {
      shuffled.X.row(j) = data.X.row(order[j]);
      shuffled.y[j] = data.y[order[j]];
    }
    const Values plain = Statistics(data.X, data.y);
    EXPECT_LE(Difference(Statistics(shuffled.X, shuffled.y), plain), 1e-12);
    const Matrix reversed = data.X.rowwise().reverse();
    const Values columns = Statistics(reversed, data.y);
    for (int i = 0; i < 3; ++i) {
      const auto begin = plain.begin() + i * kNumPairStatistics, other = columns.begin() + (2 - i) * kNumPairStatistics;
      EXPECT_LE(Difference(Values(other, other + kNumPairStatistics), Values(begin, begin + kNumPairStatistics)),
                1e-12);
    }
  }
}

// A subsample estimates what all pairs would give: white targets have covariance 0 at every distance, equal targets 1.
TEST(PairStatistics, SubsamplesEstimateTheSameThing) {
  RandomStream random(3);
  Data data = RandomData(random, 1500, 2);
  const Values white = Statistics(data.X, data.y);
  data.y.setOnes();
  const Values ones = Statistics(data.X, data.y);
  for (int i = 0; i < 2; ++i) {
    for (int b = 0; b < 20; ++b) {
      EXPECT_NEAR(white[i * kNumPairStatistics + b], 0, 0.2);
      EXPECT_NEAR(ones[i * kNumPairStatistics + b], 1, 0.01);
    }
  }
}

}  // namespace
}  // namespace instantgp

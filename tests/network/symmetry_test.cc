// The symmetries of the paper's main theorem, end to end, in float on random weights; and what must not be a symmetry.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "instantgp/kernel/parameters.h"
#include "instantgp/kernel/units.h"
#include "tests/network/small_networks.h"

namespace instantgp {
namespace {

using testing::Problem;
using testing::RandomProblem;
using testing::RandomWeights;

constexpr int kCases = 200;

// A relative tolerance on parameters is an absolute one on their logarithms.
constexpr double kTolerance = 1e-5;

class Symmetry : public ::testing::TestWithParam<std::string> {
 protected:
  Symmetry()
      : network_(GetParam() == "base" ? NetworkPreset("base") : testing::ShrunkenPreset("paper")),
        weights_(RandomWeights(network_, 3)) {}

  Matrix Theta(const Problem& p) {
    Matrix theta;
    Embedding<float> encoding;
    network_.Encode(weights_.data(), p.X, p.y, workspace_, &encoding);
    network_.Decode(weights_.data(), encoding, p.structure, workspace_, &theta);
    EXPECT_TRUE(theta.allFinite());
    return theta;
  }

  Problem Random(RandomStream& random, int case_number) {
    // Every tenth case is larger than what all pairs are taken of.
    const int n = case_number % 10 == 9 ? random.UniformInt(301, 340) : random.UniformInt(2, 60);
    return RandomProblem(random, n, 1 + case_number % 8);
  }

  Network<float> network_;
  std::vector<float> weights_;
  Workspace<float> workspace_;
};

std::vector<int> RandomPermutation(RandomStream& random, int n) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (int i = n - 1; i > 0; --i) std::swap(order[i], order[random.UniformInt(0, i)]);
  return order;
}

// The first row of theta of every addend, column by column.
std::vector<std::vector<int>> Rows(const Structure& structure) {
  std::vector<std::vector<int>> rows;
  int next = 0;
  for (const auto& symbols : structure.symbols) {
    rows.emplace_back();
    for (BaseSymbol symbol : symbols) {
      rows.back().push_back(next);
      next += NumParameters(symbol);
    }
  }
  return rows;
}

double Largest(const Matrix& difference) { return difference.cwiseAbs().maxCoeff(); }

TEST_P(Symmetry, RowOrderChangesNothing) {
  RandomStream random(1);
  for (int k = 0; k < kCases; ++k) {
    const Problem p = Random(random, k);
    Problem shuffled = p;
    const std::vector<int> order = RandomPermutation(random, static_cast<int>(p.X.rows()));
    for (std::size_t j = 0; j < order.size(); ++j) {
      shuffled.X.row(j) = p.X.row(order[j]);
      shuffled.y[j] = p.y[order[j]];
    }
    EXPECT_LE(Largest(Theta(shuffled) - Theta(p)), kTolerance) << "case " << k;
  }
}

TEST_P(Symmetry, ColumnOrderPermutesTheParametersAndKeepsTheNoise) {
  RandomStream random(2);
  for (int k = 0; k < kCases; ++k) {
    const Problem p = Random(random, k);
    const int d = static_cast<int>(p.X.cols());
    const std::vector<int> order = RandomPermutation(random, d);
    Problem shuffled = p;
    for (int i = 0; i < d; ++i) {
      shuffled.X.col(i) = p.X.col(order[i]);
      shuffled.structure.symbols[i] = p.structure.symbols[order[i]];
    }
    const Matrix a = Theta(p), b = Theta(shuffled);
    const auto rows_a = Rows(p.structure), rows_b = Rows(shuffled.structure);
    for (int i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < rows_b[i].size(); ++j) {
        const int count = NumParameters(shuffled.structure.symbols[i][j]);
        EXPECT_LE(Largest(b.middleRows(rows_b[i][j], count) - a.middleRows(rows_a[order[i]][j], count)), kTolerance)
            << "case " << k;
      }
    }
    EXPECT_LE(Largest(a.bottomRows(1) - b.bottomRows(1)), kTolerance) << "case " << k;
  }
}

TEST_P(Symmetry, AddendOrderPermutesTheParametersAndKeepsTheNoise) {
  RandomStream random(3);
  for (int k = 0; k < kCases; ++k) {
    Problem p = Random(random, k);
    const int d = static_cast<int>(p.X.cols());
    p.structure = testing::RandomStructure(random, d, 5);
    Problem shuffled = p;
    std::vector<std::vector<int>> orders;
    for (int i = 0; i < d; ++i) {
      orders.push_back(RandomPermutation(random, static_cast<int>(p.structure.symbols[i].size())));
      for (std::size_t j = 0; j < orders[i].size(); ++j) {
        shuffled.structure.symbols[i][j] = p.structure.symbols[i][orders[i][j]];
      }
    }
    const Matrix a = Theta(p), b = Theta(shuffled);
    const auto rows_a = Rows(p.structure), rows_b = Rows(shuffled.structure);
    for (int i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < orders[i].size(); ++j) {
        const int count = NumParameters(shuffled.structure.symbols[i][j]);
        EXPECT_LE(Largest(b.middleRows(rows_b[i][j], count) - a.middleRows(rows_a[i][orders[i][j]], count)), kTolerance)
            << "case " << k;
      }
    }
    EXPECT_LE(Largest(a.bottomRows(1) - b.bottomRows(1)), kTolerance) << "case " << k;
  }
}

// Columns of the structure may also be listed in another order.
TEST_P(Symmetry, ListingColumnsInAnotherOrderIsTheSameStructure) {
  RandomStream random(4);
  for (int k = 0; k < kCases; ++k) {
    const Problem p = Random(random, k);
    Problem reversed = p;
    std::reverse(reversed.structure.columns.begin(), reversed.structure.columns.end());
    std::reverse(reversed.structure.symbols.begin(), reversed.structure.symbols.end());
    const Matrix a = Theta(p), b = Theta(reversed);
    const auto rows_a = Rows(p.structure), rows_b = Rows(reversed.structure);
    const int d = p.structure.dimensions();
    for (int i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < rows_a[i].size(); ++j) {
        const int count = NumParameters(p.structure.symbols[i][j]);
        EXPECT_LE(Largest(b.middleRows(rows_b[d - 1 - i][j], count) - a.middleRows(rows_a[i][j], count)), kTolerance);
      }
    }
  }
}

// Four points in two dimensions; swapping the first coordinate of the two points with y = 1 leaves what is seen of each
// dimension alone unchanged, but puts opposite targets at the same place.
TEST_P(Symmetry, TheTwoDatasetsOfTheAppendixGetDifferentNoise) {
  Problem low{Matrix{{0.1, 0.1}, {0.9, 0.9}, {0.1, 0.9}, {0.9, 0.1}}, Vector{{1, 1, -1, -1}},
              Structure{{0, 1}, {{BaseSymbol::kSE}, {BaseSymbol::kSE}}}};
  Problem high = low;
  std::swap(high.X(0, 0), high.X(1, 0));
  const Matrix a = Theta(low), b = Theta(high);
  for (Index k = 0; k < a.cols(); ++k) EXPECT_GT(std::abs(a(a.rows() - 1, k) - b(b.rows() - 1, k)), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Presets, Symmetry, ::testing::Values("base", "paper"));

// theta(c y) = theta(y) with the noise and, once over all columns, the amplitude multiplied by c^2.
TEST(ScaleEquivariance, OfTheBasePreset) {
  const Network<float> network(NetworkPreset("base"));
  const std::vector<float> weights = RandomWeights(network, 4);
  Workspace<float> workspace;
  RandomStream random(5);
  for (int k = 0; k < kCases; ++k) {
    const Problem p = RandomProblem(random, random.UniformInt(2, 60), 1 + k % 8);
    const int d = static_cast<int>(p.X.cols());
    const double factor = std::exp(random.Uniform(-9, 9));
    const Vector scaled = (random.Bernoulli(0.5) ? factor : -factor) * p.y;
    const bool negative = scaled.dot(p.y) < 0;
    Embedding<float> e;
    Matrix a, b;
    network.Encode(weights.data(), p.X, negative ? Vector(-p.y) : p.y, workspace, &e);
    network.Decode(weights.data(), e, p.structure, workspace, &a);
    network.Encode(weights.data(), p.X, scaled, workspace, &e);
    network.Decode(weights.data(), e, p.structure, workspace, &b);
    int row = 0;
    for (const auto& symbols : p.structure.symbols) {
      for (BaseSymbol symbol : symbols) {
        bool first = true;
        for (Elementary factor_symbol : FactorsOf(symbol)) {
          for (ParameterKind kind : ParametersOf(factor_symbol)) {
            const bool carries = first && (kind == ParameterKind::kVariance || kind == ParameterKind::kOffset);
            const double expected = carries ? 2 * std::log(factor) / d : 0;
            EXPECT_LE(((b.row(row) - a.row(row)).array() - expected).abs().maxCoeff(), kTolerance);
            ++row;
          }
          first = false;
        }
      }
    }
    EXPECT_LE(((b.row(row) - a.row(row)).array() - 2 * std::log(factor)).abs().maxCoeff(), kTolerance);
  }
}

// The amplitude shares of the network are those of kernel/units.h.
TEST(ScaleEquivariance, TheSharesAreThoseOfTheKernelsUnits) {
  const Network<double> network(testing::ShrunkenPreset("base"));
  const std::vector<double> weights = RandomWeights(network, 5);
  Workspace<double> workspace;
  RandomStream random(6);
  for (int k = 0; k < kCases; ++k) {
    const Problem p = RandomProblem(random, 10, 1 + k % 8);
    const Expression expression = ToExpression(p.structure);
    const ParameterTable table(expression);
    const std::vector<double> shares = AmplitudeShares(expression);
    Embedding<double> e;
    Matrix a, b;
    network.Encode(weights.data(), p.X, p.y, workspace, &e);
    network.Decode(weights.data(), e, p.structure, workspace, &a);
    e.y_scale *= 10;
    network.Decode(weights.data(), e, p.structure, workspace, &b);
    ASSERT_EQ(static_cast<Index>(table.size()) + 1, a.rows());
    for (std::size_t r = 0; r < table.size(); ++r) {
      const bool amplitude = table[r].kind == ParameterKind::kVariance || table[r].kind == ParameterKind::kOffset;
      const double expected = amplitude ? shares[table[r].leaf] * 2 * std::log(10.0) : 0;
      EXPECT_NEAR(b(r, 0) - a(r, 0), expected, 1e-12);
    }
  }
}

}  // namespace
}  // namespace instantgp

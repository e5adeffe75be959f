#include "instantgp/simulate/tables.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "instantgp/base/error.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/covariance.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/simulate/table_inputs.h"
#include "instantgp/simulate/table_parameters.h"

namespace instantgp {
namespace {

constexpr std::uint64_t kTablesSeed = 20250117;

bool EqualBits(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && (a.array() == b.array()).all();
}

bool SameTable(const Simulated& a, const Simulated& b) {
  return EqualBits(a.X, b.X) && EqualBits(a.y, b.y) && EqualBits(a.X_test, b.X_test) && EqualBits(a.y_test, b.y_test) &&
         EqualBits(a.theta, b.theta) && a.truth == b.truth && a.given == b.given && a.positive == b.positive;
}

bool SameOnEveryColumn(const Structure& structure) {
  return std::all_of(structure.symbols.begin(), structure.symbols.end(),
                     [&](const auto& symbols) { return symbols == structure.symbols[0]; });
}

double QuantileOf(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

TEST(TablesTest, SizesKeepTheirLimits) {
  const TableOptions options;
  std::vector<double> rows;
  std::map<int, int> columns;
  int usual = 0, large = 0;
  constexpr int kDraws = 20000;
  for (int k = 0; k < kDraws; ++k) {
    const SimulatedSize size = DrawTableSize(options, kTablesSeed, k);
    ASSERT_GE(size.n, 10);
    ASSERT_LE(size.n, 1024);
    ASSERT_GE(size.d, 1);
    ASSERT_LE(size.d, 32);
    ASSERT_LE(size.n * size.d, 2 * 6000);
    large += size.n > 512 || size.n * size.d > 6000;
    usual += size.d >= 4 && size.d <= 16;
    ++columns[size.d];
    rows.push_back(size.n);
  }
  EXPECT_EQ(columns.size(), 32u) << "some number of columns never occurs";
  // 0.6 + 0.4 log(17/4) / log(33)
  EXPECT_NEAR(usual, 0.766 * kDraws, 4 * std::sqrt(0.766 * 0.234 * kDraws));
  EXPECT_LE(large, 0.01 * kDraws + 4 * std::sqrt(0.01 * kDraws));
  EXPECT_GT(large, 0.005 * kDraws);
  EXPECT_NEAR(QuantileOf(rows, 0.5), 70, 15);
}

TEST(TablesTest, SizesToldBeforeAreThoseDrawn) {
  TableOptions options;
  options.max_n = 60;
  options.large_share = 0;
  for (int k = 0; k < 60; ++k) {
    const SimulatedSize size = DrawTableSize(options, kTablesSeed, k);
    const Simulated data = SimulateTable(options, kTablesSeed, k);
    if (data.tries > 1) continue;
    EXPECT_EQ(size.n, data.X.rows());
    EXPECT_EQ(size.d, data.X.cols());
  }
}

TEST(TablesTest, MostTablesHaveTheSameSymbolsOnEveryColumnAndSeIsTheMostFrequent) {
  const TableOptions options;
  RandomStream random(kTablesSeed);
  constexpr int kDraws = 20000;
  int same = 0;
  std::map<std::vector<BaseSymbol>, int> sums;
  for (int k = 0; k < kDraws; ++k) {
    const Structure structure = DrawTableStructure(options, 6, random);
    ASSERT_EQ(structure.dimensions(), 6);
    ASSERT_EQ(ToStructure(ToExpression(structure)), structure);
    if (!SameOnEveryColumn(structure)) continue;
    ++same;
    ++sums[structure.symbols[0]];
  }
  EXPECT_NEAR(same, 0.7 * kDraws, 4 * std::sqrt(0.21 * kDraws));
  using enum BaseSymbol;
  const int se = sums[{kSE}];
  EXPECT_GT(se, same / 3);
  for (const auto& [symbols, count] : sums) EXPECT_LE(count, se);
  for (const std::vector<BaseSymbol>& expected : std::vector<std::vector<BaseSymbol>>{
           {kMAT52}, {kSE, kLIN}, {kLIN}, {kSE_LIN}, {kPER}, {kSE, kPER}, {kSE_PER}, {kSE, kLIN, kPER}}) {
    EXPECT_GT(sums[expected], 0.02 * kDraws);
  }
  EXPECT_GT(sums.size(), 60u) << "other sums occur too";
}

TEST(TablesTest, StructuresStayWithinTheAlphabet) {
  TableOptions options;
  options.symbols = {BaseSymbol::kLIN, BaseSymbol::kPER, BaseSymbol::kLIN_PER};
  RandomStream random(kTablesSeed);
  for (int k = 0; k < 500; ++k) {
    for (const auto& symbols : DrawTableStructure(options, 3, random).symbols) {
      for (const BaseSymbol symbol : symbols) {
        EXPECT_TRUE(std::binary_search(options.symbols.begin(), options.symbols.end(), symbol));
      }
    }
  }
}

// What real tables show when SE is fitted to them; see the head of simulate/tables.h.
TEST(TablesTest, LengthsAreThoseOfRealTables) {
  RandomStream random(kTablesSeed);
  int columns = 0, irrelevant = 0, relevant = 0, middle = 0, long_ones = 0, short_ones = 0, nearly_linear = 0;
  constexpr int kDraws = 4000;
  for (int k = 0; k < kDraws; ++k) {
    const int d = random.UniformInt(2, 20);
    const TableSmoothness smoothness = DrawSmoothness(d, 0.15, random);
    ASSERT_EQ(smoothness.length.size(), static_cast<std::size_t>(d));
    if (smoothness.nearly_linear) {
      ++nearly_linear;
      for (const double length : smoothness.length) EXPECT_TRUE(length >= 5 && length <= 60) << length;
      continue;
    }
    EXPECT_TRUE(std::count(smoothness.matters.begin(), smoothness.matters.end(), true) > 0);
    for (int i = 0; i < d; ++i) {
      ++columns;
      const double length = smoothness.length[i];
      EXPECT_EQ(smoothness.matters[i], length < 10) << length;
      EXPECT_TRUE(length >= 0.02 && length <= 100) << length;
      irrelevant += !smoothness.matters[i];
      if (!smoothness.matters[i]) continue;
      ++relevant;
      middle += length >= 0.3 && length <= 1.5;
      short_ones += length < 0.1;
      long_ones += length > 4;
    }
  }
  EXPECT_NEAR(nearly_linear, 0.15 * kDraws, 4 * std::sqrt(0.1275 * kDraws));
  EXPECT_NEAR(irrelevant, 0.46 * columns, 0.04 * columns);
  EXPECT_NEAR(middle, 0.45 * relevant, 0.1 * relevant);
  EXPECT_GT(short_ones, 0.005 * relevant);
  EXPECT_GT(long_ones, 0.05 * relevant);
}

TEST(TablesTest, EverySymbolTurnsFlatWhereTheColumnDoesNotMatter) {
  for (const BaseSymbol symbol : kAllBaseSymbols) {
    const Structure structure{{0, 1}, {{BaseSymbol::kSE}, {symbol}}};
    for (std::uint64_t k = 0; k < 20; ++k) {
      RandomStream random(kTablesSeed, k);
      TableSmoothness smoothness;
      smoothness.length = {0.5, 40};
      smoothness.matters = {true, false};
      const LogParameters theta = DrawTableParameters(structure, smoothness, random);
      Matrix X(9, 2);
      X.col(0).setConstant(0.5);
      X.col(1) = Vector::LinSpaced(9, 0, 1);
      Matrix K(9, 9);
      CovarianceScratch scratch;
      Covariance(ToExpression(structure)).Gram(X, theta.data(), K, scratch);
      for (Index i = 0; i < 9; ++i) {
        for (Index j = 0; j <= i; ++j) EXPECT_NEAR(K(i, j) / K(0, 0), 1, 0.01) << Name(symbol);
      }
    }
  }
}

TEST(TablesTest, InputsAreScaledAndOfManyKinds) {
  int tables = 0, correlated = 0, columns = 0, binary = 0, few = 0, skewed = 0;
  for (std::uint64_t k = 0; k < 400; ++k) {
    RandomStream random(kTablesSeed, k);
    const int d = random.UniformInt(2, 10);
    Matrix X;
    DrawTableInputs(160, 150, d, random, X);
    ASSERT_EQ(X.rows(), 160);
    ASSERT_EQ(X.cols(), d);
    ++tables;
    double strongest = 0;
    for (Index i = 0; i < d; ++i) {
      const Vector column = X.col(i).head(150);
      EXPECT_EQ(column.minCoeff(), 0);
      EXPECT_EQ(column.maxCoeff(), 1);
      ++columns;
      const auto levels = std::set<double>(column.begin(), column.end()).size();
      binary += levels == 2;
      few += levels <= 10;
      skewed += levels > 10 && (column.mean() < 0.3 || column.mean() > 0.7);
      const Vector a = column.array() - column.mean();
      for (Index j = 0; j < i; ++j) {
        const Vector b = X.col(j).head(150).array() - X.col(j).head(150).mean();
        strongest = std::max(strongest, std::abs(a.dot(b)) / (a.norm() * b.norm()));
      }
    }
    correlated += strongest > 0.5;
  }
  EXPECT_GT(correlated, 0.3 * tables);
  EXPECT_LT(correlated, 0.9 * tables);
  EXPECT_GT(binary, 0.04 * columns);
  EXPECT_NEAR(few, 0.27 * columns, 0.08 * columns);
  EXPECT_GT(skewed, 0.1 * columns);
}

TEST(TablesTest, SingleColumnsMayTakeEqualStepsAndTinyTablesAreNotConstant) {
  int equal_steps = 0;
  for (std::uint64_t k = 0; k < 400; ++k) {
    RandomStream random(kTablesSeed, k);
    Matrix X;
    DrawTableInputs(20, 20, 1, random, X);
    equal_steps += (X.col(0) - Vector::LinSpaced(20, 0, 1)).cwiseAbs().maxCoeff() < 1e-12;
    DrawTableInputs(2, 2, 5, random, X);
    for (Index i = 0; i < 5; ++i) EXPECT_EQ(std::abs(X(0, i) - X(1, i)), 1);
  }
  EXPECT_NEAR(equal_steps, 160, 40);
}

TEST(TablesTest, TargetsAreStandardisedAndTheNoiseIsThatOfRealTables) {
  TableOptions options;
  options.max_n = 120;
  options.large_share = 0;
  std::vector<double> noise;
  for (int k = 0; k < 600; ++k) {
    const Simulated data = SimulateTable(options, kTablesSeed, k);
    ASSERT_EQ(data.theta.size(), NumParameters(ToExpression(data.truth)) + 1);
    EXPECT_EQ(data.truth.dimensions(), data.X.cols());
    EXPECT_EQ(data.given.dimensions(), data.X.cols());
    EXPECT_TRUE(data.theta.allFinite());
    EXPECT_NEAR(data.y.mean(), 0, 1e-9);
    EXPECT_NEAR(data.y.squaredNorm() / static_cast<double>(data.y.size()), 1, 1e-9);
    EXPECT_EQ(data.X.minCoeff(), 0);
    EXPECT_EQ(data.X.maxCoeff(), 1);
    noise.push_back(std::exp(0.5 * data.theta.noise()));
  }
  // In the standardised targets: the draw decides how far the function itself spreads, so the ends are not sharp.
  EXPECT_NEAR(std::log(QuantileOf(noise, 0.5) / 0.15), 0, 0.35);
  EXPECT_NEAR(std::log(QuantileOf(noise, 0.02) / 0.0035), 0, 0.6);
  EXPECT_GT(QuantileOf(noise, 0.98), 0.7);
  EXPECT_LT(QuantileOf(noise, 1), 1.6);
}

// Nearly linear tables need a kernel of 5 to 50 standard deviations to vary by one over the unit cube.
TEST(TablesTest, NearlyLinearTablesHaveLargeAmplitudes) {
  TableOptions options;
  options.nearly_linear_p = 1;
  options.same_symbols_p = 1;
  options.symbols = {BaseSymbol::kSE};
  options.max_n = 60;
  options.large_share = 0;
  std::vector<double> amplitudes;
  for (int k = 0; k < 300; ++k) {
    const Simulated data = SimulateTable(options, kTablesSeed, k);
    double log_variance = 0;
    for (const Addend& addend : AddendsOf(data.truth)) {
      log_variance += data.theta[addend.factors[0].Row(ParameterKind::kVariance)];
      EXPECT_GE(data.theta[addend.factors[0].Row(ParameterKind::kLengthscale)], std::log(5.0) - 1e-9);
    }
    amplitudes.push_back(std::exp(0.5 * log_variance));
  }
  EXPECT_GT(QuantileOf(amplitudes, 0.1), 3);
  EXPECT_LT(QuantileOf(amplitudes, 0.9), 120);
  EXPECT_NEAR(std::log(QuantileOf(amplitudes, 0.5) / 20), 0, 0.7);
}

// The parameters are those of the targets: whitened, these are standard normal, but for the mean that was subtracted
// and the scale that was divided by, which cost two of n degrees of freedom at most.
TEST(TablesTest, TheTrueParametersAreTrue) {
  TableOptions options;
  options.min_n = 60;
  options.max_n = 120;
  options.large_share = 0;
  options.nearly_linear_p = 0.3;
  double squares = 0, rows = 0;
  int tables = 0;
  for (int k = 0; k < 200; ++k) {
    const Simulated data = SimulateTable(options, kTablesSeed, k);
    if (data.jitter > 0) continue;
    ++tables;
    Matrix A(data.X.rows(), data.X.rows());
    CovarianceScratch scratch;
    Covariance(ToExpression(data.truth)).Gram(data.X, data.theta.data(), A, scratch);
    A.diagonal().array() += std::exp(data.theta.noise());
    const Eigen::LLT<Matrix, Eigen::Lower> llt(A);
    ASSERT_EQ(llt.info(), Eigen::Success);
    const Vector white = llt.matrixL().solve(data.y);
    squares += white.squaredNorm();
    rows += static_cast<double>(white.size());
  }
  EXPECT_GT(tables, 150);
  EXPECT_NEAR(squares / rows, 1, 0.03);
}

TEST(TablesTest, PositivesAskForTheTruthAndNegativesForAnIndependentStructure) {
  TableOptions options;
  options.max_n = 20;
  options.large_share = 0;
  int positives = 0, asked_for_se = 0;
  constexpr int kDraws = 1000;
  for (int k = 0; k < kDraws; ++k) {
    const Simulated data = SimulateTable(options, kTablesSeed, k);
    positives += data.positive;
    if (data.positive) {
      EXPECT_EQ(data.given, data.truth);
    } else {
      asked_for_se += SameOnEveryColumn(data.given) && data.given.symbols[0] == std::vector{BaseSymbol::kSE};
    }
  }
  EXPECT_NEAR(positives, kDraws / 2, 65);
  EXPECT_NEAR(asked_for_se, 0.26 * kDraws / 2, 60);
  options.positives_only = true;
  for (int k = 0; k < 50; ++k) EXPECT_TRUE(SimulateTable(options, kTablesSeed, k).positive);
}

TEST(TablesTest, RepeatsByNumberWhateverTheOrderAndTheThreads) {
  TableOptions options;
  options.max_n = 80;
  options.n_test = 7;
  constexpr int kDraws = 60;
  std::vector<Simulated> forward, threaded(kDraws);
  SimulationWorkspace shared;
  for (int k = 0; k < kDraws; ++k) forward.push_back(SimulateTable(options, kTablesSeed, k, &shared));
  ThreadPool pool(3);
  pool.Run(kDraws, [&](int k, int) { threaded[kDraws - 1 - k] = SimulateTable(options, kTablesSeed, kDraws - 1 - k); });
  for (int k = 0; k < kDraws; ++k) {
    EXPECT_TRUE(SameTable(forward[k], threaded[k])) << k;
    EXPECT_EQ(forward[k].X_test.rows(), 7);
    EXPECT_EQ(forward[k].y_test.size(), 7);
  }
  EXPECT_FALSE(SameTable(forward[6], forward[7]));
  EXPECT_FALSE(SameTable(SimulateTable(options, kTablesSeed + 1, 7), forward[7]));
}

TEST(TablesTest, BadOptionsAreUsageErrors) {
  const auto expect_bad = [](auto change) {
    TableOptions options;
    change(options);
    try {
      SimulateTable(options, 0, 0);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage) << error.what();
    }
  };
  expect_bad([](TableOptions& o) { o.min_n = 1; });
  expect_bad([](TableOptions& o) { o.max_n = 9; });
  expect_bad([](TableOptions& o) { o.max_d = 0; });
  expect_bad([](TableOptions& o) { o.max_cells = 100; });
  expect_bad([](TableOptions& o) { o.large_n = 512; });
  expect_bad([](TableOptions& o) { o.large_share = 1.1; });
  expect_bad([](TableOptions& o) { o.same_symbols_p = -0.1; });
  expect_bad([](TableOptions& o) { o.nearly_linear_p = 2; });
  expect_bad([](TableOptions& o) { o.positive_p = 2; });
  expect_bad([](TableOptions& o) { o.n = 1; });
  expect_bad([](TableOptions& o) { o.d = 0; });
  expect_bad([](TableOptions& o) { o.n_test = -1; });
  expect_bad([](TableOptions& o) { o.symbols = {}; });
}

}  // namespace
}  // namespace instantgp

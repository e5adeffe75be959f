#include "instantgp/simulate/distribution.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "instantgp/base/error.h"
#include "instantgp/gp/covariance.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/kernel/parse.h"

namespace instantgp {
namespace {

constexpr std::uint64_t kSeed = 20240607;

// Upper 1e-4 quantile of chi-square by Wilson and Hilferty's cube.
double ChiSquareLimit(double degrees) {
  const double a = 2 / (9 * degrees);
  return degrees * std::pow(1 - a + 3.72 * std::sqrt(a), 3);
}

// counts[i] observations of a cell with probability expected[i]; the probabilities sum to one.
void ExpectMatches(const std::vector<double>& counts, const std::vector<double>& expected) {
  ASSERT_EQ(counts.size(), expected.size());
  double total = 0, sum = 0, statistic = 0;
  for (double c : counts) total += c;
  for (double p : expected) sum += p;
  ASSERT_NEAR(sum, 1, 1e-12);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    ASSERT_GT(expected[i] * total, 5) << "cell " << i << " is too rare for the test";
    statistic += std::pow(counts[i] - expected[i] * total, 2) / (expected[i] * total);
  }
  EXPECT_LT(statistic, ChiSquareLimit(static_cast<double>(counts.size()) - 1));
}

double Weight(BaseSymbol symbol) { return FactorsOf(symbol).size() == 1 ? 2 : 1; }

bool SameBits(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && (a.array() == b.array()).all();
}

bool Same(const Simulated& a, const Simulated& b) {
  return SameBits(a.X, b.X) && SameBits(a.y, b.y) && SameBits(a.X_test, b.X_test) && SameBits(a.y_test, b.y_test) &&
         SameBits(a.theta, b.theta) && a.truth == b.truth && a.given == b.given && a.positive == b.positive;
}

// L^-1 y for y with covariance K(X, X) + s2 I, by Eigen's own factorisation.
Vector Whiten(const Expression& expression, const Matrix& X, const Vector& y, const LogParameters& theta) {
  const Covariance covariance(expression);
  Matrix A(X.rows(), X.rows());
  CovarianceScratch scratch;
  covariance.Gram(X, theta.data(), A, scratch);
  A.diagonal().array() += std::exp(theta.noise());
  Eigen::LLT<Matrix, Eigen::Lower> llt(A);
  EXPECT_EQ(llt.info(), Eigen::Success);
  return llt.matrixL().solve(y);
}

// Kolmogorov and Smirnov's distance to the standard normal, times sqrt(N).
double KolmogorovDistance(std::vector<double> z) {
  std::sort(z.begin(), z.end());
  const auto n = static_cast<double>(z.size());
  double distance = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double p = 0.5 * std::erfc(-z[i] / std::sqrt(2.0));
    distance = std::max({distance, (static_cast<double>(i) + 1) / n - p, p - static_cast<double>(i) / n});
  }
  return distance * std::sqrt(n);
}
constexpr double kKolmogorovLimit = 2.2;  // exceeded with probability 1.3e-4

TEST(DistributionTest, SizesFollowTheirLaws) {
  const SimulationOptions options;
  const int draws = 40000;
  std::vector<double> n_counts(241), n_expected(241, 1.0 / 241), d_counts(8), d_expected(8);
  for (int k = 0; k < draws; ++k) {
    const SimulatedSize size = DrawSize(options, kSeed, k);
    ASSERT_TRUE(size.n >= 10 && size.n <= 250 && size.d >= 1 && size.d <= 8);
    ++n_counts[size.n - 10];
    ++d_counts[size.d - 1];
  }
  for (int d = 1; d <= 8; ++d) {
    d_expected[d - 1] = 0.25 * std::pow(0.75, d - 1) + std::pow(0.75, 8) / 8;
  }
  ExpectMatches(n_counts, n_expected);
  ExpectMatches(d_counts, d_expected);
}

TEST(DistributionTest, SizesToldBeforeAreThoseDrawn) {
  const SimulationOptions options;
  for (int k = 0; k < 100; ++k) {
    const SimulatedSize size = DrawSize(options, kSeed, k);
    const Simulated data = Simulate(options, kSeed, k);
    EXPECT_EQ(size.n, data.X.rows());
    EXPECT_EQ(size.d, data.X.cols());
  }
}

TEST(DistributionTest, AddendsFollowTheirLaw) {
  const SimulationOptions options;
  RandomStream random(kSeed);
  std::vector<double> counts(7), expected(7);
  for (int k = 0; k < 40000; ++k) {
    const auto addends = DrawStructure(options, 1, random).symbols[0].size();
    ++counts[std::min<std::size_t>(addends, 7) - 1];
  }
  for (int k = 1; k <= 6; ++k) expected[k - 1] = 0.6 * std::pow(0.4, k - 1);
  expected[6] = std::pow(0.4, 6);
  ExpectMatches(counts, expected);
}

TEST(DistributionTest, AddendsAreCappedByTheAlphabet) {
  SimulationOptions options;
  options.symbols = {BaseSymbol::kLIN, BaseSymbol::kSE_LIN};
  RandomStream random(kSeed);
  std::vector<double> counts(2);
  for (int k = 0; k < 20000; ++k) ++counts[DrawStructure(options, 1, random).symbols[0].size() - 1];
  ExpectMatches(counts, {0.6, 0.4});
}

TEST(DistributionTest, SymbolsAreDrawnByWeightWithoutReplacement) {
  const SimulationOptions options;
  RandomStream random(kSeed + 1);
  std::vector<double> single(kNumBaseSymbols), single_expected(kNumBaseSymbols), pair, pair_expected;
  std::map<std::vector<BaseSymbol>, int> pair_cell;
  const double total = 14;  // 4 * 2 + 6 * 1
  for (const BaseSymbol a : kAllBaseSymbols) {
    single_expected[Number(a)] = Weight(a) / total;
    for (const BaseSymbol b : kAllBaseSymbols) {
      if (b <= a) continue;
      pair_cell[{a, b}] = static_cast<int>(pair_expected.size());
      pair_expected.push_back(Weight(a) / total * Weight(b) / (total - Weight(a)) +
                              Weight(b) / total * Weight(a) / (total - Weight(b)));
    }
  }
  pair.resize(pair_expected.size());
  for (int k = 0; k < 40000; ++k) {
    for (const std::vector<BaseSymbol>& symbols : DrawStructure(options, 2, random).symbols) {
      EXPECT_TRUE(std::is_sorted(symbols.begin(), symbols.end()));
      EXPECT_EQ(std::set<BaseSymbol>(symbols.begin(), symbols.end()).size(), symbols.size());
      if (symbols.size() == 1) ++single[Number(symbols[0])];
      if (symbols.size() == 2) ++pair[pair_cell.at(symbols)];
    }
  }
  ExpectMatches(single, single_expected);
  ExpectMatches(pair, pair_expected);
}

TEST(DistributionTest, HalfOfTheDatasetsArePositive) {
  SimulationOptions options;
  options.n = 10;
  std::vector<double> counts(2);
  for (int k = 0; k < 4000; ++k) {
    const Simulated data = Simulate(options, kSeed, k);
    ++counts[data.positive];
    if (data.positive) {
      EXPECT_EQ(data.given, data.truth);
    }
    EXPECT_EQ(data.given.dimensions(), data.X.cols());
  }
  ExpectMatches(counts, {0.5, 0.5});
}

TEST(DistributionTest, ParametersFollowTheirPriors) {
  SimulationOptions options;
  options.n = 1;
  options.d = 1;
  options.symbols = {BaseSymbol::kSE};  // variance (2,3), lengthscale (2,5)
  const int draws = 20000;
  // Gamma(2, r): P(t <= x) = 1 - (1 + r x) exp(-r x). Exponential: 1 - exp(-x / m). Uniform values fall evenly in 20
  // cells.
  std::vector<std::vector<double>> cells(3, std::vector<double>(20));
  for (int k = 0; k < draws; ++k) {
    const Vector t = Simulate(options, kSeed, k).theta.array().exp();
    const double p[3] = {1 - (1 + 3 * t[0]) * std::exp(-3 * t[0]), 1 - (1 + 5 * t[1]) * std::exp(-5 * t[1]),
                         1 - std::exp(-t[2] / (0.15 * 0.15))};
    for (int i = 0; i < 3; ++i) ++cells[i][std::min(19, static_cast<int>(p[i] * 20))];
  }
  for (const auto& counts : cells) ExpectMatches(counts, std::vector<double>(20, 0.05));
}

TEST(DistributionTest, SizesOfStructureAndParametersAgree) {
  SimulationOptions options;
  options.n_test = 5;
  for (int k = 0; k < 300; ++k) {
    const Simulated data = Simulate(options, kSeed, k);
    EXPECT_EQ(data.theta.size(), NumParameters(ToExpression(data.truth)) + 1);
    EXPECT_EQ(data.truth.dimensions(), data.X.cols());
    EXPECT_EQ(data.X.rows(), data.y.size());
    EXPECT_EQ(data.X_test.rows(), 5);
    EXPECT_EQ(data.y_test.size(), 5);
    EXPECT_EQ(ToStructure(ToExpression(data.truth)), data.truth);
    EXPECT_TRUE(data.y.allFinite() && data.theta.allFinite());
    EXPECT_TRUE((data.X.array() > 0).all() && (data.X.array() < 1).all());
  }
}

TEST(DistributionTest, TheOrderOfDrawingDoesNotMatter) {
  const SimulationOptions options;
  SimulationWorkspace shared;
  std::vector<Simulated> forward;
  for (int k = 0; k < 40; ++k) forward.push_back(Simulate(options, kSeed, k, &shared));
  for (int k = 39; k >= 0; --k) EXPECT_TRUE(Same(Simulate(options, kSeed, k, &shared), forward[k])) << k;
  EXPECT_TRUE(Same(Simulate(options, kSeed, 7), forward[7]));
  EXPECT_FALSE(Same(Simulate(options, kSeed + 1, 7), forward[7]));
  EXPECT_FALSE(Same(forward[6], forward[7]));
}

TEST(DistributionTest, WhitenedTargetsAreStandardNormal) {
  SimulationOptions options;
  options.max_n = 100;
  options.n_test = 7;
  std::vector<double> z;
  double correlation = 0;  // of neighbours: whitening must leave none
  for (int k = 0; k < 400; ++k) {
    const Simulated data = Simulate(options, kSeed, k);
    if (data.jitter > 0) continue;
    Matrix X(data.X.rows() + 7, data.X.cols());
    X << data.X, data.X_test;
    Vector y(X.rows());
    y << data.y, data.y_test;
    const Vector white = Whiten(ToExpression(data.truth), X, y, data.theta);
    for (Index i = 1; i < white.size(); ++i) correlation += white[i] * white[i - 1];
    z.insert(z.end(), white.begin(), white.end());
  }
  ASSERT_GT(z.size(), 15000u);
  EXPECT_LT(KolmogorovDistance(z), kKolmogorovLimit);
  EXPECT_LT(std::abs(correlation) / std::sqrt(static_cast<double>(z.size())), 4);
}

TEST(DistributionTest, RestrictionsHold) {
  SimulationOptions options;
  options.n = 33;
  options.d = 3;
  options.positives_only = true;
  options.symbols = {BaseSymbol::kSE, BaseSymbol::kPER, BaseSymbol::kSE_PER};
  for (int k = 0; k < 50; ++k) {
    const Simulated data = Simulate(options, kSeed, k);
    EXPECT_EQ(data.X.rows(), 33);
    EXPECT_EQ(data.X.cols(), 3);
    EXPECT_TRUE(data.positive);
    for (const auto& symbols : data.truth.symbols) {
      for (BaseSymbol s : symbols) {
        EXPECT_TRUE(s == BaseSymbol::kSE || s == BaseSymbol::kPER || s == BaseSymbol::kSE_PER);
      };
    }
  }
  options.structure = Structure{{0, 2}, {{BaseSymbol::kSE}, {BaseSymbol::kPER, BaseSymbol::kSE_PER}}};
  for (int k = 0; k < 20; ++k) EXPECT_EQ(Simulate(options, kSeed, k).truth, *options.structure);
  options.d.reset();
  EXPECT_EQ(Simulate(options, kSeed, 0).X.cols(), 3);
}

TEST(DistributionTest, BadOptionsAreUsageErrors) {
  const auto expect_bad = [](auto change) {
    SimulationOptions options;
    change(options);
    try {
      Simulate(options, 0, 0);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage) << error.what();
    }
  };
  expect_bad([](SimulationOptions& o) { o.min_n = 0; });
  expect_bad([](SimulationOptions& o) { o.max_n = 9; });
  expect_bad([](SimulationOptions& o) { o.n = 0; });
  expect_bad([](SimulationOptions& o) { o.d = 0; });
  expect_bad([](SimulationOptions& o) { o.max_d = 0; });
  expect_bad([](SimulationOptions& o) { o.n_test = -1; });
  expect_bad([](SimulationOptions& o) { o.addend_p = 0; });
  expect_bad([](SimulationOptions& o) { o.dimension_p = 1.5; });
  expect_bad([](SimulationOptions& o) { o.positive_p = -0.1; });
  expect_bad([](SimulationOptions& o) { o.symbols = {}; });
  expect_bad([](SimulationOptions& o) { o.symbols = {static_cast<BaseSymbol>(10)}; });
  expect_bad([](SimulationOptions& o) { o.symbols = {BaseSymbol::kPER, BaseSymbol::kLIN}; });
  expect_bad([](SimulationOptions& o) { o.structure = Structure{}; });
  expect_bad([](SimulationOptions& o) {
    o.d = 1;
    o.structure = Structure{{1}, {{BaseSymbol::kSE}}};
  });
}

TEST(SimulateFunctionTest, WhitenedDrawsOfAGeneralKernelAreStandardNormal) {
  const Expression expression = ParseKernel("SE(x1) + PER(x1)*LIN(x2)*MAT52(x2)", DefaultColumnNames(2));
  ASSERT_FALSE(ToStructure(expression).has_value());
  LogParameters theta = Vector::Constant(NumParameters(expression) + 1, std::log(0.5));
  std::vector<double> z, noise;
  for (int k = 0; k < 200; ++k) {
    const SimulatedFunction draw = SimulateFunction(expression, 30, 2, kSeed, k, theta);
    EXPECT_TRUE(SameBits(draw.theta, theta));
    const Vector white = Whiten(expression, draw.X, draw.y, theta);
    z.insert(z.end(), white.begin(), white.end());
    const Vector e = (draw.y - draw.f) / std::sqrt(0.5);
    noise.insert(noise.end(), e.begin(), e.end());
  }
  EXPECT_LT(KolmogorovDistance(z), kKolmogorovLimit);
  EXPECT_LT(KolmogorovDistance(noise), kKolmogorovLimit);
}

TEST(SimulateFunctionTest, PriorDrawsDifferAndBadArgumentsAreUsageErrors) {
  const Expression expression = ParseKernel("SE + LIN", DefaultColumnNames(1));
  const SimulatedFunction a = SimulateFunction(expression, 20, 2, kSeed, 0);
  const SimulatedFunction b = SimulateFunction(expression, 20, 2, kSeed, 1);
  EXPECT_EQ(a.X.cols(), 2);
  EXPECT_FALSE(SameBits(a.theta, b.theta));
  EXPECT_TRUE(SameBits(a.y, SimulateFunction(expression, 20, 2, kSeed, 0).y));
  const Expression second = Expression::Leaf(Elementary::kSE, 1);
  EXPECT_THROW(SimulateFunction(second, 5, 1, 0, 0), Error);
  EXPECT_THROW(SimulateFunction(expression, 0, 1, 0, 0), Error);
  EXPECT_THROW(SimulateFunction(expression, 5, 1, 0, 0, Vector::Zero(3)), Error);
}

}  // namespace
}  // namespace instantgp

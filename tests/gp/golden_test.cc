// The library against the golden numbers: an independent naive implementation in 50-digit arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "instantgp/base/file.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/kernel/structure.h"
#include "tests/support/golden_case.h"

namespace instantgp {
namespace {

using testing::AllGoldenCases;
using testing::GoldenCase;
using testing::GoldenInputs;
using testing::GoldenNumbers;

constexpr double kTolerance = 1e-9;

struct StoredCase {
  GoldenCase golden;
  GoldenNumbers numbers;
};

const std::vector<StoredCase>& StoredCases() {
  static const std::vector<StoredCase> kCases = [] {
    const auto json =
        nlohmann::json::parse(ReadFile(std::string(INSTANTGP_SOURCE_DIR) + "/tests/golden/gp_golden.json"));
    std::vector<StoredCase> cases;
    for (const auto& c : json.at("cases")) {
      cases.push_back({{c.at("kernel"), c.at("n"), c.at("d"), c.at("seed")},
                       {c.at("nlml"), c.at("gradient"), c.at("mean"), c.at("variance")}});
    }
    return cases;
  }();
  return kCases;
}

// Relative to the value itself. The floor serves derivatives that vanish: with n = 1 a lengthscale has no effect, and
// rounding may leave a few times 1e-35.
void ExpectClose(double actual, const std::string& expected, const std::string& what) {
  constexpr double kFloor = 1e-20;
  const double value = std::stod(expected);
  EXPECT_LE(std::abs(actual - value), kTolerance * std::max(std::abs(value), kFloor))
      << what << ": " << actual << " for " << value;
}

TEST(GoldenFileTest, HoldsExactlyTheCases) {
  const auto cases = AllGoldenCases();
  ASSERT_EQ(StoredCases().size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const GoldenCase& stored = StoredCases()[i].golden;
    EXPECT_EQ(stored.kernel, cases[i].kernel);
    EXPECT_EQ(stored.n, cases[i].n);
    EXPECT_EQ(stored.d, cases[i].d);
    EXPECT_EQ(stored.seed, cases[i].seed);
  }
}

TEST(GoldenFileTest, CoversTheLanguage) {
  std::set<int> sizes, dimensions;
  std::set<BaseSymbol> symbols;
  int across_columns = 0, outside = 0;
  for (const GoldenCase& golden : AllGoldenCases()) {
    sizes.insert(golden.n);
    dimensions.insert(golden.d);
    const auto structure = ToStructure(testing::InputsOf(golden).expression);
    if (!structure) {
      ++outside;
      continue;
    }
    for (const auto& sum : structure->symbols) symbols.insert(sum.begin(), sum.end());
    across_columns += structure->dimensions() > 1 ? 1 : 0;
  }
  EXPECT_GE(AllGoldenCases().size(), 40U);
  EXPECT_EQ(symbols.size(), static_cast<std::size_t>(kNumBaseSymbols));
  EXPECT_GE(across_columns, 15);
  EXPECT_GE(outside, 8);
  EXPECT_EQ(*sizes.begin(), 1);
  EXPECT_EQ(*sizes.rbegin(), 25);
  EXPECT_EQ(*dimensions.rbegin(), 8);
}

// The file cannot go stale unnoticed: small cases are computed anew, digit by digit.
TEST(GoldenFileTest, IsWhatTheGeneratorWrites) {
  int checked = 0;
  for (const StoredCase& stored : StoredCases()) {
    if (stored.golden.n > 5) continue;
    EXPECT_EQ(testing::ComputeGoldenNumbers(stored.golden), stored.numbers) << stored.golden.kernel;
    ++checked;
  }
  EXPECT_GE(checked, 3);
}

class GoldenTest : public ::testing::TestWithParam<int> {};

TEST_P(GoldenTest, LibraryAgrees) {
  ASSERT_EQ(StoredCases().size(), AllGoldenCases().size());
  const auto& [golden, numbers] = StoredCases()[static_cast<std::size_t>(GetParam())];
  SCOPED_TRACE(golden.kernel);
  const GoldenInputs in = testing::InputsOf(golden);

  NlmlWorkspace workspace;
  Vector gradient;
  const Covariance covariance(in.expression);
  const NlmlValue value = NegativeLogMarginalLikelihood(covariance, in.X, in.y, in.theta, &gradient, workspace);
  ASSERT_TRUE(value.ok) << value.reason;
  ASSERT_EQ(value.jitter, 0);
  ExpectClose(value.nlml, numbers.nlml, "nlml");

  ASSERT_EQ(static_cast<std::size_t>(gradient.size()), numbers.gradient.size());
  for (std::size_t p = 0; p < numbers.gradient.size(); ++p) {
    ExpectClose(gradient[static_cast<Index>(p)], numbers.gradient[p], "gradient " + std::to_string(p));
  }

  const Posterior posterior(in.expression, in.X, in.y, in.theta);
  ExpectClose(posterior.nlml(), numbers.nlml, "posterior nlml");
  Vector mean, std;
  posterior.MeanAndStd(in.X_new, Noise::kLatent, &mean, &std);
  const Vector mean_only = posterior.Mean(in.X_new);
  const Matrix cov = posterior.Cov(in.X_new, Noise::kLatent);
  for (Index i = 0; i < in.X_new.rows(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const std::string where = " at point " + std::to_string(i);
    ExpectClose(mean[i], numbers.mean[k], "mean" + where);
    ExpectClose(mean_only[i], numbers.mean[k], "mean alone" + where);
    ExpectClose(std[i] * std[i], numbers.variance[k], "variance" + where);
    ExpectClose(cov(i, i), numbers.variance[k], "covariance" + where);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenTest, ::testing::Range(0, static_cast<int>(AllGoldenCases().size())));

}  // namespace
}  // namespace instantgp

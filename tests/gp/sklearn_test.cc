// The library against scikit-learn 1.2.1: tests/golden/make_sklearn_golden.py wrote the numbers and holds the
// conversions.
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

constexpr double kSklearnTolerance = 1e-8;

struct SklearnCase {
  testing::GoldenCase golden;
  double nlml = 0;
  std::vector<double> gradient, mean, observed_variance;
};

const std::vector<SklearnCase>& SklearnCases() {
  static const std::vector<SklearnCase> kCases = [] {
    const std::string path = std::string(INSTANTGP_SOURCE_DIR) + "/tests/golden/sklearn_golden.json";
    const auto json = nlohmann::json::parse(ReadFile(path));
    std::vector<SklearnCase> cases;
    for (const auto& c : json.at("cases")) {
      cases.push_back({{c.at("kernel"), c.at("n"), c.at("d"), c.at("seed")},
                       c.at("nlml"),
                       c.at("gradient"),
                       c.at("mean"),
                       c.at("observed_variance")});
    }
    return cases;
  }();
  return kCases;
}

std::string WithoutBlanks(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

// Relative to the value, or to the scale where a value is the small difference of larger ones.
void ExpectClose(double actual, double expected, double scale, const std::string& what) {
  EXPECT_LE(std::abs(actual - expected), kSklearnTolerance * std::max(std::abs(expected), scale))
      << what << ": " << actual << " for " << expected;
}

TEST(SklearnTest, CoversEverySymbolPairSumAndPairProduct) {
  std::set<std::vector<std::vector<BaseSymbol>>> seen;
  for (const SklearnCase& c : SklearnCases()) {
    const auto structure = ToStructure(testing::InputsOf(c.golden).expression);
    if (structure) seen.insert(structure->symbols);
  }
  for (const BaseSymbol a : kAllBaseSymbols) {
    EXPECT_TRUE(seen.count({{a}})) << Name(a);
    for (const BaseSymbol b : kAllBaseSymbols) {
      EXPECT_TRUE(seen.count({{std::min(a, b), std::max(a, b)}})) << Name(a) << " + " << Name(b);
      EXPECT_TRUE(seen.count({{a}, {b}})) << Name(a) << " times " << Name(b);
    }
  }
}

TEST(SklearnTest, LibraryAgrees) {
  for (const SklearnCase& c : SklearnCases()) {
    SCOPED_TRACE(c.golden.kernel + ", n = " + std::to_string(c.golden.n));
    const testing::GoldenInputs in = testing::InputsOf(c.golden);
    // The script hands out parameters in the order of its text; ours is that of the canonical form.
    ASSERT_EQ(WithoutBlanks(c.golden.d == 1 ? PrintShort(in.expression, {"x1"})
                                            : Print(in.expression, DefaultColumnNames(c.golden.d))),
              WithoutBlanks(c.golden.kernel));

    NlmlWorkspace workspace;
    Vector gradient;
    const NlmlValue value =
        NegativeLogMarginalLikelihood(Covariance(in.expression), in.X, in.y, in.theta, &gradient, workspace);
    ASSERT_TRUE(value.ok) << value.reason;
    ExpectClose(value.nlml, c.nlml, 1, "nlml");
    ASSERT_EQ(static_cast<std::size_t>(gradient.size()), c.gradient.size());
    double largest = 0;
    for (double entry : c.gradient) largest = std::max(largest, std::abs(entry));
    for (std::size_t p = 0; p < c.gradient.size(); ++p) {
      ExpectClose(gradient[static_cast<Index>(p)], c.gradient[p], largest, "gradient " + std::to_string(p));
    }

    const Posterior posterior(in.expression, in.X, in.y, in.theta);
    Vector mean, std;
    posterior.MeanAndStd(in.X_new, Noise::kObserved, &mean, &std);
    for (Index i = 0; i < in.X_new.rows(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      ExpectClose(mean[i], c.mean[k], 1, "mean " + std::to_string(i));
      ExpectClose(std[i] * std[i], c.observed_variance[k], 0, "variance " + std::to_string(i));
    }
  }
}

}  // namespace
}  // namespace instantgp

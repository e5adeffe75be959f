// The ten base symbols and the priors of their parameters.
#include "instantgp/kernel/symbol.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "instantgp/kernel/parse.h"
#include "instantgp/kernel/prior.h"

namespace instantgp {
namespace {

TEST(SymbolTest, TenBaseSymbolsAreTheFourAndTheirPairs) {
  std::set<std::string> names;
  for (const BaseSymbol s : kAllBaseSymbols) {
    const auto factors = FactorsOf(s);
    ASSERT_EQ(factors.size(), Number(s) < kNumElementaryBaseSymbols ? 1U : 2U);
    std::string name(Name(factors[0]));
    int parameters = static_cast<int>(ParametersOf(factors[0]).size());
    if (factors.size() == 2) {
      EXPECT_LT(factors[0], factors[1]);
      name += "*" + std::string(Name(factors[1]));
      parameters += static_cast<int>(ParametersOf(factors[1]).size());
      EXPECT_EQ(ProductSymbol(factors[0], factors[1]), s);
      EXPECT_EQ(ProductSymbol(factors[1], factors[0]), s);
    }
    EXPECT_EQ(Name(s), name);
    EXPECT_EQ(NumParameters(s), parameters);
    names.insert(name);
  }
  EXPECT_EQ(names.size(), 10U);
  for (Elementary e : kAllElementary) EXPECT_EQ(ProductSymbol(e, e), std::nullopt);
}

TEST(SymbolTest, NamesParseToTheirFactors) {
  for (const BaseSymbol s : kAllBaseSymbols) {
    std::vector<Expression> leaves;
    for (Elementary factor : FactorsOf(s)) leaves.push_back(Expression::Leaf(factor, 0));
    EXPECT_EQ(ParseKernel(Name(s), {"x"}), Canonical(Expression::Product(leaves)));
  }
}

TEST(SymbolTest, VarianceComesFirst) {
  for (Elementary e : kAllElementary) EXPECT_EQ(ParametersOf(e)[0], ParameterKind::kVariance);
  EXPECT_EQ(Name(ParametersOf(Elementary::kSE)[1]), "lengthscale");
  EXPECT_EQ(Name(ParametersOf(Elementary::kMAT52)[1]), "lengthscale");
  EXPECT_EQ(Name(ParametersOf(Elementary::kLIN)[1]), "offset");
  EXPECT_EQ(Name(ParametersOf(Elementary::kPER)[1]), "lengthscale");
  EXPECT_EQ(Name(ParametersOf(Elementary::kPER)[2]), "period");
  EXPECT_EQ(Name(ParametersOf(Elementary::kMAT12)[1]), "lengthscale");
  EXPECT_EQ(Name(ParametersOf(Elementary::kIOU)[1]), "lengthscale");
  EXPECT_EQ(ParametersOf(Elementary::kWIE).size(), 1U);
  EXPECT_EQ(ParametersOf(Elementary::kBIAS).size(), 1U);
}

std::vector<GammaPrior> AllPriors() {
  std::vector<GammaPrior> priors = {NoisePrior()};
  for (auto kind :
       {ParameterKind::kVariance, ParameterKind::kLengthscale, ParameterKind::kPeriod, ParameterKind::kOffset}) {
    priors.push_back(PriorOf(kind));
  }
  return priors;
}

TEST(PriorTest, AreThoseOfTheMethod) {
  EXPECT_EQ(PriorOf(ParameterKind::kVariance), (GammaPrior{2, 3}));
  EXPECT_EQ(PriorOf(ParameterKind::kLengthscale), (GammaPrior{2, 5}));
  EXPECT_EQ(PriorOf(ParameterKind::kPeriod), (GammaPrior{2, 3}));
  EXPECT_EQ(PriorOf(ParameterKind::kOffset), (GammaPrior{2, 3}));
  EXPECT_DOUBLE_EQ(NoisePrior().shape / NoisePrior().rate, 0.0225);
}

// Integrates p(theta) and theta p(theta) over u = log theta, d theta = theta du, by the trapezium rule (spectrally
// accurate for these smooth, decaying integrands).
TEST(PriorTest, DensityIntegratesToOneAndHasItsMean) {
  for (const GammaPrior& prior : AllPriors()) {
    double mass = 0, mean = 0;
    const double h = 1e-3;
    for (double u = -40; u < 6; u += h) {
      const double weight = std::exp(prior.LogDensity(u) + u) * h;
      mass += weight;
      mean += weight * std::exp(u);
    }
    EXPECT_NEAR(mass, 1, 1e-9);
    EXPECT_NEAR(mean, prior.shape / prior.rate, 1e-9);
  }
}

TEST(PriorTest, DerivativeMatchesCentralDifferences) {
  for (const GammaPrior& prior : AllPriors()) {
    for (double u = -5; u <= 2; u += 0.25) {
      const double h = 1e-5;
      const double numeric = (prior.LogDensity(u + h) - prior.LogDensity(u - h)) / (2 * h);
      EXPECT_NEAR(prior.DLogDensity(u), numeric, 1e-7 * std::max(1.0, std::abs(numeric)));
    }
  }
}

}  // namespace
}  // namespace instantgp

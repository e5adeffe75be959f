// The amortised family and the order of parameters in it.
#include "instantgp/kernel/structure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "instantgp/kernel/parameters.h"
#include "instantgp/kernel/parse.h"
#include "tests/support/random_kernels.h"

namespace instantgp {
namespace {

using testing::AllPairStructures;
using testing::AllProductStructures;
using testing::AllSymbolStructures;
using testing::RandomStructure;

std::vector<Structure> ManyStructures() {
  std::vector<Structure> all = AllSymbolStructures();
  for (const Structure& s : AllPairStructures()) all.push_back(s);
  for (const Structure& s : AllProductStructures()) all.push_back(s);
  RandomStream random(6);
  for (int i = 0; i < 2000; ++i) all.push_back(RandomStructure(random, random.UniformInt(1, 8), 4, i % 2 == 1));
  return all;
}

TEST(StructureTest, EnumerationsAreComplete) {
  EXPECT_EQ(AllSymbolStructures().size(), 10U);
  EXPECT_EQ(AllPairStructures().size(), 55U);
  EXPECT_EQ(AllProductStructures().size(), 100U);
}

TEST(StructureTest, RoundTripsThroughExpressionsAndText) {
  RandomStream random(7);
  for (const Structure& s : ManyStructures()) {
    const Expression e = ToExpression(s);
    const auto names = DefaultColumnNames(s.columns.back() + 1);
    ASSERT_EQ(Canonical(e), e);
    ASSERT_EQ(ToStructure(e), s) << Print(e, names);
    ASSERT_EQ(ToStructure(ParseKernel(Print(e, names), names)), s);
    ASSERT_EQ(ToStructure(Canonical(testing::Shuffled(e, random))), s);
    ASSERT_EQ(WhyOutsideFamily(e, names), "");
  }
}

// Tables rely on the order: column, addend by symbol number, factor, parameter of the factor.
TEST(StructureTest, ParameterTableFollowsColumnAddendFactor) {
  for (const Structure& s : ManyStructures()) {
    const ParameterTable table(ToExpression(s));
    std::size_t row = 0;
    int leaf = 0;
    for (std::size_t i = 0; i < s.columns.size(); ++i) {
      for (std::size_t j = 0; j < s.symbols[i].size(); ++j) {
        for (Elementary factor : FactorsOf(s.symbols[i][j])) {
          for (ParameterKind kind : ParametersOf(factor)) {
            ASSERT_LT(row, table.size());
            const Parameter& p = table[row++];
            ASSERT_EQ(p.leaf, leaf);
            ASSERT_EQ(p.addend, static_cast<int>(j));
            ASSERT_EQ(p.column, s.columns[i]);
            ASSERT_EQ(p.elementary, factor);
            ASSERT_EQ(p.symbol, Name(s.symbols[i][j]));
            ASSERT_EQ(p.kind, kind);
            ASSERT_EQ(p.prior, PriorOf(kind));
          }
          ++leaf;
        }
      }
    }
    ASSERT_EQ(row, table.size());
    ASSERT_EQ(NumParameters(ToExpression(s)), static_cast<int>(row));
    ASSERT_EQ(NumLeaves(ToExpression(s)), leaf);
  }
}

TEST(StructureTest, OutsideTheFamilyIsSaidWithTheReason) {
  const std::vector<std::string> names = {"t", "wind speed"};
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"SE(1) + SE(2)", "a sum has terms on different columns (column t, column \"wind speed\")"},
      {"SE(1) + LIN(1)*PER(2)", "terms on different columns"},
      {"PER(1) * (SE(1) + SE(2))", "terms on different columns"},
      {"PER(1) * (SE(2) + LIN(2)*(SE(1) + PER(2)))", "terms on different columns"},
      {"SE(2)*LIN(2)*PER(2)", "the product SE*LIN*PER on column \"wind speed\" has more than two factors"},
      {"SE(1)*LIN(1)*PER(1)*SE(2)", "the product SE*LIN*PER on column t has more than two factors"},
      {"SE(1) + SE(1)*LIN(1)*MAT52(1)", "more than two factors"},
      {"(SE(1) + LIN(1))*PER(1)", "a sum on column t is multiplied by something else on the same column"},
      {"(SE(1) + LIN(1))*(SE(1) + PER(1))*SE(2)", "multiplied by something else"},
      {"PER(1) + (SE(1) + LIN(1))*PER(1)", "multiplied by something else"},
      {"SE(1)*SE(1)", "the product SE*SE on column t repeats a symbol"},
      {"LIN(1) + PER(1)*PER(1)", "repeats a symbol"},
  };
  for (const auto& [text, why] : cases) {
    const Expression e = ParseKernel(text, names);
    EXPECT_EQ(ToStructure(e), std::nullopt) << text;
    EXPECT_THAT(WhyOutsideFamily(e, names), ::testing::HasSubstr(why)) << text;
  }
}

// The two answers agree on any tree, and membership means the round trip reproduces the tree.
TEST(StructureTest, MembershipAndReasonAgreeOnRandomTrees) {
  RandomStream random(8);
  int inside = 0;
  for (int i = 0; i < 5000; ++i) {
    const int d = random.UniformInt(1, 3);
    const Expression e = Canonical(testing::RandomExpression(random, d, 3));
    const auto structure = ToStructure(e);
    ASSERT_EQ(structure.has_value(), WhyOutsideFamily(e, DefaultColumnNames(d)).empty());
    if (structure) {
      ++inside;
      ASSERT_EQ(ToExpression(*structure), e);
    }
  }
  EXPECT_GT(inside, 500);
  EXPECT_LT(inside, 4500);
}

TEST(ParameterTableTest, OutsideTheFamilyGroupsWhatIsMultiplied) {
  const auto names = DefaultColumnNames(2);
  const ParameterTable table(ParseKernel("SE(1)*LIN(1)*PER(1)*(SE(1) + MAT52(2))", names));
  std::vector<std::string> rows;
  for (const Parameter& p : table) {
    if (p.kind == ParameterKind::kVariance) {
      rows.push_back(std::to_string(p.leaf) + ":" + p.symbol + "/" + std::to_string(p.column) + "/" +
                     std::to_string(p.addend));
    }
  }
  EXPECT_EQ(rows, (std::vector<std::string>{"0:SE*LIN*PER/0/0", "1:SE*LIN*PER/0/0", "2:SE*LIN*PER/0/0", "3:SE/0/1",
                                            "4:MAT52/1/0"}));
}

TEST(DrawFromPriorTest, HasThePriorMeansAndIsReproducible) {
  const ParameterTable table(ParseKernel("SE + LIN + PER + MAT52", {"x"}));
  RandomStream random(9), again(9);
  const int draws = 20000;
  Vector mean = Vector::Zero(static_cast<Index>(table.size()) + 1);
  for (int i = 0; i < draws; ++i) {
    const Vector log_parameters = DrawFromPrior(table, random);
    ASSERT_EQ(log_parameters.size(), mean.size());
    ASSERT_TRUE(log_parameters.allFinite());
    if (i == 0) {
      ASSERT_EQ(log_parameters, DrawFromPrior(table, again));
    }
    mean += log_parameters.array().exp().matrix() / draws;
  }
  // Gamma(shape, rate): standard deviation sqrt(shape)/rate; five standard errors.
  for (std::size_t p = 0; p < table.size(); ++p) {
    const GammaPrior& prior = table[p].prior;
    EXPECT_NEAR(mean[static_cast<Index>(p)], prior.shape / prior.rate, 5 * std::sqrt(prior.shape / draws) / prior.rate);
  }
  EXPECT_NEAR(mean[mean.size() - 1], kNoisePriorMean, 5 * kNoisePriorMean / std::sqrt(draws));
}

}  // namespace
}  // namespace instantgp

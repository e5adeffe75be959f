#include "instantgp/search/moves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "instantgp/base/rng.h"
#include "instantgp/model/fit_ensemble.h"
#include "tests/support/kernel_text.h"

namespace instantgp {
namespace {

const std::vector<BaseSymbol> kAll(kAllBaseSymbols.begin(), kAllBaseSymbols.end());

// Symbols that one of two structures on one column has and the other has not.
std::size_t Differing(const Structure& a, const Structure& b) {
  std::vector<BaseSymbol> differing;
  std::set_symmetric_difference(a.symbols[0].begin(), a.symbols[0].end(), b.symbols[0].begin(), b.symbols[0].end(),
                                std::back_inserter(differing));
  return differing.size();
}

TEST(Moves, StayInTheFamilyAndComeOnce) {
  RandomStream random(1);
  for (int k = 0; k < 60; ++k) {
    const MoveOptions options{.columns = 1 + k % 4, .alphabet = kAll, .max_addends = 1 + k % 3};
    std::vector<Structure> next = Beginnings(options);
    // Each symbol on each column and on all, and of the ensemble's list six each of two, three and four addends.
    EXPECT_EQ(next.size(), options.columns == 1 ? 10u : 10u * (options.columns + 1) + 6u * (options.max_addends - 1));
    for (int step = 0; step < 4; ++step) {
      const Structure from = next[random.UniformInt(0, static_cast<int>(next.size()) - 1)];
      next = Neighbours(from, options);
      std::set<std::string> texts;
      for (const Structure& to : next) {
        EXPECT_EQ(ToStructure(ToExpression(to)), to) << testing::TextOf(to);  // canonical and in the family
        EXPECT_NE(to, from);
        EXPECT_TRUE(texts.insert(testing::TextOf(to)).second) << testing::TextOf(to);
        for (const auto& symbols : to.symbols) EXPECT_LE(static_cast<int>(symbols.size()), options.max_addends);
        // Adding, dropping and swapping can be undone.
        if (options.columns == 1 && Differing(from, to) <= 2) {
          const std::vector<Structure> back = Neighbours(to, options);
          EXPECT_NE(std::find(back.begin(), back.end(), from), back.end())
              << testing::TextOf(from) << " from " << testing::TextOf(to);
        }
      }
    }
  }
}

TEST(Moves, BeginOnAllColumns) {
  const std::vector<Structure> beginnings = Beginnings({.columns = 5, .alphabet = kAll, .max_addends = 4});
  EXPECT_EQ(beginnings.front(), testing::StructureOf("SE", 5));
  for (const std::string& kernel : BuiltInKernels()) {
    EXPECT_NE(std::find(beginnings.begin(), beginnings.end(), testing::StructureOf(kernel, 5)), beginnings.end())
        << kernel;
  }
  EXPECT_TRUE(std::is_sorted(beginnings.begin(), beginnings.end(), [](const Structure& a, const Structure& b) {
    return a.columns.size() > b.columns.size();
  }));
}

TEST(Moves, ReachTheWholeFamily) {
  const MoveOptions options{
      .columns = 2, .alphabet = {BaseSymbol::kSE, BaseSymbol::kLIN, BaseSymbol::kPER}, .max_addends = 2};
  std::vector<Structure> queue = Beginnings(options);
  std::set<std::string> seen;
  for (const Structure& s : queue) seen.insert(testing::TextOf(s));
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Structure from = queue[i];
    for (const Structure& to : Neighbours(from, options)) {
      if (seen.insert(testing::TextOf(to)).second) queue.push_back(to);
    }
  }
  EXPECT_EQ(seen.size(), 7u * 7 - 1);  // none, three single and three pairs on each column, not none on both
}

TEST(Moves, MergeAndSplit) {
  const MoveOptions options{.columns = 1, .alphabet = kAll, .max_addends = 3};
  const auto reaches = [&](const char* from, const char* to) {
    const std::vector<Structure> next = Neighbours(testing::StructureOf(from, 1), options);
    return std::find(next.begin(), next.end(), testing::StructureOf(to, 1)) != next.end();
  };
  EXPECT_TRUE(reaches("SE + PER", "SE*PER"));
  EXPECT_TRUE(reaches("SE*PER", "SE + PER"));
  EXPECT_TRUE(reaches("SE + LIN*PER", "SE*PER"));
  EXPECT_TRUE(reaches("MAT52 + SE + LIN*PER", "MAT52 + SE*LIN"));
  EXPECT_FALSE(reaches("SE + PER", "LIN*MAT52"));
}

}  // namespace
}  // namespace instantgp

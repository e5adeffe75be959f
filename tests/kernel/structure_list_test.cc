// The 24 structures of the comparisons.
#include "instantgp/kernel/structure_list.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "instantgp/kernel/parse.h"

namespace instantgp {
namespace {

TEST(StructureListTest, SixOfEverySizeAllDifferentWithoutMatern) {
  const std::vector<ColumnSymbols> list = BenchmarkStructures();
  std::map<std::size_t, int> of_size;
  std::set<ColumnSymbols> seen;
  for (const ColumnSymbols& symbols : list) {
    ++of_size[symbols.size()];
    EXPECT_TRUE(seen.insert(symbols).second) << ShorthandText(symbols);
    EXPECT_EQ(std::set<BaseSymbol>(symbols.begin(), symbols.end()).size(), symbols.size()) << ShorthandText(symbols);
    EXPECT_EQ(ShorthandText(symbols).find("MAT52"), std::string::npos);
  }
  EXPECT_EQ(of_size, (std::map<std::size_t, int>{{1, 6}, {2, 6}, {3, 6}, {4, 6}}));
}

// Published tables name these: a change of the list is a change of every result.
TEST(StructureListTest, TheDrawStaysWhatItWas) {
  const std::vector<ColumnSymbols> list = BenchmarkStructures();
  EXPECT_EQ(ShorthandText(list[0]), "SE");
  EXPECT_EQ(ShorthandText(list[5]), "LIN*PER");
  EXPECT_EQ(ShorthandText(list[6]), "SE + LIN");
  EXPECT_EQ(ShorthandText(list[12]), "SE + LIN + PER");
  EXPECT_EQ(ShorthandText(list[23]), "SE + PER + SE*PER + LIN*PER");
}

TEST(StructureListTest, TextAndSpreadingAgreeWithTheKernelLanguage) {
  for (const ColumnSymbols& symbols : BenchmarkStructures()) {
    for (int d : {1, 3, 11}) {
      const Structure structure = SpreadOverColumns(symbols, d);
      EXPECT_EQ(ToExpression(structure), ParseKernel(ShorthandText(symbols), DefaultColumnNames(d)));
      EXPECT_EQ(ToStructure(ToExpression(structure)), structure);
    }
  }
}

}  // namespace
}  // namespace instantgp

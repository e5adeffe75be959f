#include <cmath>

#include "gtest/gtest.h"
#include "instantgp/base/error.h"
#include "instantgp/data/csv.h"

namespace instantgp {
namespace {

const ColumnSelection kSelection = {{"b", "y", "absent"}, "y"};

TEST(ColumnSelectionTest, OtherColumnsHoldAnything) {
  const Table table = ParseTable("when,b,y\nmonday,1,2\n,3,4\n", "t", MissingPolicy::kError, kSelection);
  EXPECT_EQ(table.names, (std::vector<std::string>{"b", "y"}));
  EXPECT_EQ(table.all_names, (std::vector<std::string>{"when", "b", "y"}));
  ASSERT_EQ(table.values.rows(), 2);
  ASSERT_EQ(table.values.cols(), 2);
  EXPECT_EQ(table.values(1, 0), 3);
  EXPECT_EQ(table.values(1, 1), 4);
}

TEST(ColumnSelectionTest, TheColumnThatMayLackValuesDropsNoRow) {
  for (MissingPolicy policy : {MissingPolicy::kError, MissingPolicy::kDrop}) {
    const Table table = ParseTable("b,y\n1,\n2,5\n", "t", policy, kSelection);
    ASSERT_EQ(table.values.rows(), 2);
    EXPECT_TRUE(std::isnan(table.values(0, 1)));
    EXPECT_EQ(table.values(1, 1), 5);
    EXPECT_EQ(table.dropped_rows, 0);
  }
}

TEST(ColumnSelectionTest, SelectedColumnsAreAsStrictAsEver) {
  EXPECT_THROW(ParseTable("b,y\n,1\n", "t", MissingPolicy::kError, kSelection), Error);
  EXPECT_THROW(ParseTable("b,y\n1,two\n", "t", MissingPolicy::kError, kSelection), Error);
  EXPECT_THROW(ParseTable("b,y\n1\n", "t", MissingPolicy::kError, kSelection), Error);
  const Table dropped = ParseTable("a,b,y\n?,,1\n?,2,3\n", "t", MissingPolicy::kDrop, kSelection);
  EXPECT_EQ(dropped.values.rows(), 1);
  EXPECT_EQ(dropped.dropped_rows, 1);
}

TEST(ColumnSelectionTest, AnErrorNamesTheColumnOfTheFile) {
  try {
    ParseTable("a,b,y\n1,oops,2\n", "t", MissingPolicy::kError, kSelection);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("column 'b'"), std::string::npos) << error.what();
  }
}

TEST(ColumnSelectionTest, WithoutAHeaderEverythingIsRead) {
  const Table table = ParseTable("1,2,3\n", "t", MissingPolicy::kError, kSelection);
  EXPECT_EQ(table.values.cols(), 3);
  EXPECT_EQ(table.names, table.all_names);
}

}  // namespace
}  // namespace instantgp

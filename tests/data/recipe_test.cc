// What holds for every table, whatever is in it.
#include "instantgp/data/recipe.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"
#include "instantgp/data/labelled_table.h"
#include "instantgp/data/new_rows.h"

namespace instantgp {
namespace {

// Cells that go together now and then.
const std::vector<std::vector<std::string>> kDrawers = {
    {"1", "2.5", "-3e2", "", "NA"},
    {"a", "b", "A", "b ", "", "other"},
    {"2020-01-01", "2020-01-02", "2020-02-29", "", "2021-12-31"},
    {"2020-01", "2020-02", "1999-12"},
    {"01/02/2020", "13/02/2020", "?"},
    {"1", "x", "inf", "2020-01-01", "\"\"\"\"", "\"a,b\""},
    {"München", "東京", "\"\n\"", "x=y", " "},
};

std::string RandomTable(RandomStream& random, int rows, int columns) {
  const auto pick = [&](std::size_t count) {
    return static_cast<std::size_t>(random.Uniform() * static_cast<double>(count));
  };
  std::vector<std::size_t> drawers;
  std::string text;
  for (int j = 0; j < columns; ++j) {
    drawers.push_back(pick(kDrawers.size()));
    text += "c" + std::to_string(j) + ",";
  }
  text += "y\n";
  for (int i = 0; i < rows; ++i) {
    for (const std::size_t drawer : drawers) {
      const auto& cells = kDrawers[random.Uniform() < 0.02 ? pick(kDrawers.size()) : drawer];
      text += cells[pick(cells.size())] + ",";
    }
    text += (random.Uniform() < 0.1 ? "" : std::to_string(i)) + "\n";
  }
  return text;
}

TEST(RecipeTest, AnyTableIsLearntAndReadBackAlikeOrRefused) {
  int learnt = 0, refused = 0;
  for (int seed = 0; seed < 3000; ++seed) {
    RandomStream random(static_cast<std::uint64_t>(seed));
    const std::string text = RandomTable(random, 1 + seed % 12, 1 + seed % 3);
    CsvOptions options;
    options.missing = seed % 4 == 0   ? MissingPolicy::kError
                      : seed % 4 == 1 ? MissingPolicy::kDrop
                                      : MissingPolicy::kImpute;
    try {
      const LabelledTable table = LabelledTable::Of(ParseRawTable(text, "t"), options);
      const Dataset data = table.Learn(table.known);
      EXPECT_TRUE(data.X.allFinite()) << text;
      EXPECT_EQ(data.rows(), static_cast<int>(table.known.size()));
      ++learnt;
      if (!data.recipe) continue;
      EXPECT_EQ(data.recipe->inputs(), data.columns());
      // The same rows, as new ones.
      RawOptions raw{data.recipe->Needed(), data.recipe->NeededAsText()};
      raw.wanted.push_back("y");
      const NewRows rows = MatchRows(ParseRawTable(text, "t", raw), {data.column_names, "y", data.recipe.get()},
                                     {options.missing, UnseenPolicy::kOther});
      ASSERT_TRUE(rows.y) << text;
      Index next = 0;
      for (Index i = 0; i < rows.X.rows(); ++i) {
        if (std::isnan((*rows.y)[i])) continue;
        EXPECT_EQ(rows.X.row(i), data.X.row(next++)) << text;
      }
      EXPECT_EQ(next, data.X.rows()) << text;
    } catch (const Error& error) {
      EXPECT_TRUE(error.code() == ErrorCode::kBadInput) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(learnt, 500);
  EXPECT_GT(refused, 500);
}

TEST(RecipeTest, TheOrderOfRowsChangesNoRecipe) {
  const std::string header = "d,c,a,y\n";
  const std::vector<std::string> rows = {"2020-03,q,1,1\n", "2020-01,p,,2\n", "2020-02,q,7,3\n", "2020-05,r,2,4\n"};
  CsvOptions options;
  options.missing = MissingPolicy::kImpute;
  const auto learn = [&](const std::string& text) {
    const LabelledTable table = LabelledTable::Of(ParseRawTable(header + text, "t"), options);
    return *table.Learn(table.known).recipe;
  };
  const Recipe first = learn(rows[0] + rows[1] + rows[2] + rows[3]);
  EXPECT_EQ(first, learn(rows[3] + rows[1] + rows[0] + rows[2]));
  EXPECT_EQ(first, learn(rows[2] + rows[3] + rows[1] + rows[0]));
}

TEST(RecipeTest, WordsForPeople) {
  const LabelledTable table = LabelledTable::Of(
      ParseRawTable("d,c,a,y\n2020-01-06,q,1,1\n2020-01-07,p,,2\n2020-01-10,q,7,3\n2020-01-13,,2,4\n2020-01-14,p,3,4\n",
                    "t"),
      {"", MissingPolicy::kImpute});
  const Dataset data = table.Learn(table.known);
  const std::vector<ColumnRecipe>& columns = data.recipe->columns;
  EXPECT_EQ(InWords(columns[0]), "dates %Y-%m-%d, business days, as business days since 2020-01-06");
  EXPECT_EQ(InWords(columns[1]), "categories p, q; 1 gap filled by no category and marked by \"c missing\"");
  EXPECT_EQ(InWords(columns[2]), "numbers; 1 gap filled by the median 2.5 and marked by \"a missing\"");
}

}  // namespace
}  // namespace instantgp

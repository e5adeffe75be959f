// Columns of categories, gaps and mixtures as people have them, each with what must become of it.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "instantgp/base/error.h"
#include "instantgp/data/labelled_table.h"
#include "instantgp/data/new_rows.h"

namespace instantgp {
namespace {

// One column, its cells in rows; y is 1, 2, 3, ...
struct RecipeExhibit {
  std::vector<std::string> cells;
  std::string expected;  // "error: ..." or the inputs and their rows; with "..." at its end, its beginning
  CsvOptions options = {};
  std::vector<std::string> new_cells = {};  // shown behind "->", row after row
  NewRowsOptions new_options = {};
};

std::string Quoted(const std::string& cell) {
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string Csv(const std::vector<std::string>& cells) {
  std::string text = "c,y\n";
  for (std::size_t i = 0; i < cells.size(); ++i) text += Quoted(cells[i]) + "," + std::to_string(i + 1) + "\n";
  return text;
}

std::string PlainDigits(double value) {
  std::string text = std::to_string(value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string Rows(const Matrix& X) {
  std::string text;
  for (Index i = 0; i < X.rows(); ++i) {
    text += " ";
    for (Index j = 0; j < X.cols(); ++j) text += (j > 0 ? "," : "") + PlainDigits(X(i, j));
  }
  return text;
}

std::string RecipeOutcome(const RecipeExhibit& exhibit) {
  try {
    const RecipeOptions recipe{exhibit.options.categorical, exhibit.options.date_formats, false};
    RawTable raw = ParseRawTable(Csv(exhibit.cells), "t", {{}, ReadAsText(recipe)});
    const LabelledTable table = LabelledTable::Of(std::move(raw), exhibit.options);
    const Dataset data = table.Learn(table.known);
    std::string text;
    for (const std::string& name : data.column_names) text += (text.empty() ? "" : "|") + name;
    text += ":" + Rows(data.X);
    if (table.dropped > 0) text += " dropped " + std::to_string(table.dropped);
    if (data.recipe) {
      for (const std::string& remark : Remarks(data.recipe->columns.front())) text += " [" + remark + "]";
    }
    if (exhibit.new_cells.empty()) return text;
    text += " ->";
    for (const std::string& cell : exhibit.new_cells) {
      try {
        const RawTable row = ParseRawTable("c,z\n" + Quoted(cell) + ",0\n", "n", {{"c"}, data.recipe->NeededAsText()});
        const NewRows rows = MatchRows(row, {data.column_names, "y", data.recipe.get()}, exhibit.new_options);
        text += Rows(rows.X);
        for (const std::string& note : rows.notes) text += " (" + note + ")";
      } catch (const Error& error) {
        text += " error: " + std::string(error.what());
      }
    }
    return text;
  } catch (const Error& error) {
    std::string remedy;
    for (const Remedy& r : error.remedies()) remedy += " {" + r.option + " " + r.value + "}";
    return "error: " + std::string(error.what()) + remedy;
  }
}

void CheckRecipes(const std::vector<RecipeExhibit>& exhibits) {
  for (const RecipeExhibit& exhibit : exhibits) {
    const std::string outcome = RecipeOutcome(exhibit);
    if (exhibit.expected.ends_with("...")) {
      const std::string start = exhibit.expected.substr(0, exhibit.expected.size() - 3);
      EXPECT_EQ(outcome.substr(0, start.size()), start) << exhibit.cells.front() << "\n" << outcome;
    } else {
      EXPECT_EQ(outcome, exhibit.expected) << exhibit.cells.front();
    }
  }
}

const CsvOptions kDropRows{"", MissingPolicy::kDrop};
const CsvOptions kImputeGaps{"", MissingPolicy::kImpute};
const NewRowsOptions kTakeAsOther{MissingPolicy::kError, UnseenPolicy::kOther};
const NewRowsOptions kFillGaps{MissingPolicy::kImpute, UnseenPolicy::kError};

TEST(RecipeZoo, Categories) {
  CheckRecipes({
      // Levels in the order of their bytes, whatever that of the rows.
      {{"b", "a", "b"}, "c=a|c=b: 0,1 1,0 0,1"},
      {{"only", "only"}, "c=only: 1 1"},
      {{"a", "b"}, "c=a|c=b: 1,0 0,1"},
      {{"A", "a", "B"},
       "c=A|c=B|c=a: 1,0,0 0,0,1 0,1,0 [the levels 'A' and 'a' of column 'c' differ in case or blanks only; if they "
       "are the same, write them alike]"},
      {{"New York", "NewYork", "New York"},
       "c=New York|c=NewYork: 1,0 0,1 1,0 [the levels 'New York' and 'NewYork'..."},
      // Blanks around a level do not count, even in quotes.
      {{" a ", "a", "\tb"}, "c=a|c=b: 1,0 1,0 0,1"},
      {{"Zürich", "München", "Zürich"}, "c=München|c=Zürich: 0,1 1,0 0,1"},
      {{"東京", "大阪", "東京"}, "c=大阪|c=東京: 0,1 1,0 0,1"},
      {{"é", "e\xcc\x81"}, "c=e\xcc\x81|c=é: 0,1 1,0"},  // two ways to write it are two levels
      {{"a,b", "c;d", "say \"x\""}, "c=a,b|c=c;d|c=say \"x\": 1,0,0 0,1,0 0,0,1"},
      {{"yes", "no", "yes"}, "c=no|c=yes: 0,1 1,0 0,1"},
      {{"TRUE", "FALSE"}, "c=FALSE|c=TRUE: 0,1 1,0"},
      {{"other", "a", "a"}, "c=a|c=other: 0,1 1,0 1,0"},
      {{"a", "c=a", "b"}, "c=a|c=b|c=c=a: 1,0,0 0,0,1 0,1,0"},
      {{"<1", "1-5", ">5"}, "c=1-5|c=<1|c=>5: 0,1,0 1,0,0 0,0,1"},
      {{"10%", "20%"}, "c=10%|c=20%: 1,0 0,1"},
      {{"5 kg", "7 kg"}, "c=5 kg|c=7 kg: 1,0 0,1"},
  });
}

TEST(RecipeZoo, Codes) {
  const CsvOptions codes{"", MissingPolicy::kError, {"c"}};
  CheckRecipes({
      {{"1", "2", "1"}, "c: 1 2 1"},
      {{"1", "2", "1"}, "c=1|c=2: 1,0 0,1 1,0", codes},
      {{"1", "2", "1"}, "c=1|c=2: 1,0 0,1 1,0", {"", MissingPolicy::kError, {"1"}}},  // by its number
      {{"01", "1"}, "c=01|c=1: 1,0 0,1", codes},
      {{"1", "a"}, "c=1|c=a: 1,0 0,1", codes},
      {{"2020-01-01", "2020-01-02"}, "c=2020-01-01|c=2020-01-02: 1,0 0,1", codes},
      // A code may be written in other ways when it comes back.
      {{"1", "2"}, "c=1|c=2: 1,0 0,1 -> 1,0 0,1 1,0", codes, {"1.0", "2", "01"}},
      {{"1", "2"}, "error: t: there is no column 'd'...", {"", MissingPolicy::kError, {"d"}}},
      {{"1", "2"},
       "error: t: the column 'y' is the target, not an input {categorical }",
       {"", MissingPolicy::kError, {"y"}}},
  });
}

TEST(RecipeZoo, NumbersAmongTexts) {
  CheckRecipes({
      {{"1", "2", "abc", "4"},
       "error: t, line 4, column 'c': 'abc' is not a number, and 3 of 4 cells are numbers; correct it, or empty the "
       "cell. If all of them are levels of a category, say so {categorical c}"},
      {{"S", "M", "10", "L"},
       "error: t, line 4, column 'c': '10' is a number among texts (1 of 4 cells are numbers); correct it, or, if it "
       "is a level like the others, say that this is a category {categorical c}"},
      {{"1", "x"}, "error: t, line 3, column 'c': 'x' is not a number, and 1 of 2 cells are numbers..."},
      {{"a", "b", "inf"}, "error: t, line 4, column 'c': 'inf' is a number among texts..."},
      {{"1", "inf"}, "error: t, line 3, column 'c': 'inf' is infinite or too large..."},
      {{"1", "-", "3"}, "error: t, line 3, column 'c': '-' is not a number..."},
      {{"1", "n/a", "3"}, "error: t, line 3, column 'c': 'n/a' is not a number..."},
      {{"1 000", "2 000"}, "c=1 000|c=2 000: 1,0 0,1"},  // no number to any reader, and no mixture either
  });
}

TEST(RecipeZoo, Gaps) {
  CheckRecipes({
      {{"1", "", "3"},
       "error: t, line 3, column 'c': the value is missing; fill it in, drop rows with missing values, or impute them "
       "{missing drop}"},
      {{"a", "NA", "b"}, "error: t, line 3, column 'c': the value is missing..."},
      {{"2020-01-01", "?", "2020-01-03"}, "error: t, line 3, column 'c': the value is missing..."},
      {{"1", "", "3"}, "c: 1 3 dropped 1", kDropRows},
      {{"a", "null", "b"}, "c=a|c=b: 1,0 0,1 dropped 1", kDropRows},
      {{"", "NaN"}, "error: t: every row has a missing value, so none is left...", kDropRows},
      // The median of those there are, and an indicator.
      {{"1", "", "3", "8"}, "c|c missing: 1,0 3,1 3,0 8,0", kImputeGaps},
      {{"1", "", "3", "8", "9"}, "c|c missing: 1,0 5.5,1 3,0 8,0 9,0", kImputeGaps},
      {{"a", "", "b"}, "c=a|c=b|c missing: 1,0,0 0,0,1 0,1,0", kImputeGaps},
      {{"2020-01-01", "", "2020-01-03"}, "c|c missing: 0,0 1,1 2,0", kImputeGaps},
      {{"", "NA"}, "error: t: the column 'c' has no value in any row to learn from; remove the column", kImputeGaps},
      {{"1", "2"}, "c: 1 2", kImputeGaps},  // no indicator without a gap
      // At new rows: known gaps are filled without asking.
      {{"1", "", "3"}, "c|c missing: 1,0 2,1 3,0 -> 2,1 7,0", kImputeGaps, {"", "7"}},
      {{"a", "", "b"}, "c=a|c=b|c missing: 1,0,0 0,0,1 0,1,0 -> 0,0,1 0,1,0", kImputeGaps, {"NA", "b"}},
      // New ones are an error, and filled by the median where that is asked for.
      {{"1", "2"},
       "c: 1 2 -> error: n, line 2, column 'c': the value is missing, and in this column none was missing...",
       kImputeGaps,
       {""}},
      {{"1", "2"},
       "c: 1 2 -> 1.5 (1 gap in column 'c', which had none in the rows the model was fitted to, filled by their "
       "median)",
       kImputeGaps,
       {""},
       kFillGaps},
      {{"a", "b"},
       "c=a|c=b: 1,0 0,1 -> 0,0 (1 gap in column 'c', which had none in the rows the model was fitted to, filled by no "
       "level)",
       kImputeGaps,
       {""},
       kFillGaps},
      {{"a", "b"},
       "c=a|c=b: 1,0 0,1 -> error: n, line 2, column 'c': the value is missing, and the model has no median for it: it "
       "was fitted without imputing...",
       {},
       {""},
       kFillGaps},
  });
}

TEST(RecipeZoo, UnseenLevels) {
  CheckRecipes({
      {{"Berlin", "Paris"},
       "c=Berlin|c=Paris: 1,0 0,1 -> error: n, line 2, column 'c': the level 'Oslo' is none of those in the rows the "
       "model was fitted to: Berlin, Paris. Correct it, or take unseen levels as other.",
       {},
       {"Oslo"}},
      {{"Berlin", "Paris"},
       "c=Berlin|c=Paris: 1,0 0,1 -> error: n, line 2, column 'c': the level 'paris' is none of those in the rows the "
       "model was fitted to: Berlin, Paris. Did you mean 'Paris'? Correct it, or...",
       {},
       {"paris"}},
      {{"a", "b"},
       "c=a|c=b: 1,0 0,1 -> 0,0 (1 row with levels of column 'c' that the training rows lack (z): taken as other)",
       {},
       {"z"},
       kTakeAsOther},
      {{"1", "2"},
       "c=1|c=2: 1,0 0,1 -> error: n, line 2, column 'c': the level '3' is none of those...",
       {"", MissingPolicy::kError, {"c"}},
       {"3"}},
  });
}

TEST(RecipeZoo, Dates) {
  CheckRecipes({
      {{"2020-01", "2020-02", "2020-04"}, "c: 0 1 3"},
      {{"31.01.2020", "29.02.2020", "31.03.2020"}, "c: 0 1 2"},
      {{"2020Q1", "2020Q3", "2021Q1"}, "c: 0 2 4"},
      {{"2020-01-31T12:00Z", "2020-01-31T13:00Z", "2020-01-31T15:00Z"}, "c: 0 1 3"},
      {{"2020-03-02", "2020-03-09", "2020-03-23"}, "c: 0 1 3"},
      {{"2020-05-03", "2020-05-01", "2020-05-02"}, "c: 2 0 1"},
      {{"2020", "2021"}, "c: 2020 2021"},  // numbers are numbers
      {{"2020", "2021"}, "c: 0 1", {"", MissingPolicy::kError, {}, {"c=%Y"}}},
      {{"20200131", "20200201"}, "c: 0 1", {"", MissingPolicy::kError, {}, {"c=%Y%m%d"}}},
      {{"01/02/2020", "03/02/2020"}, "error: t, line 2, column 'c': ..."},
      {{"01/02/2020", "03/02/2020"}, "c: 0 2", {"", MissingPolicy::kError, {}, {"%d/%m/%Y"}}},
      {{"01/02/2020", "01/03/2020", "02/03/2020"}, "c: 0 1 32", {"", MissingPolicy::kError, {}, {"%m/%d/%Y"}}},
      {{"2020-02-28", "2020-02-30"}, "error: t, line 3, column 'c': '2020-02-30' has the form of a date, but..."},
      {{"2020-01-01", "soon"}, "error: t, line 3, column 'c': 'soon' is not a date of the form..."},
      {{"a", "b"}, "error: t: no column holds dates of the form %Y...", {"", MissingPolicy::kError, {}, {"%Y"}}},
      // New rows: any date of the same form, before, between and after.
      {{"2020-01", "2020-02"}, "c: 0 1 -> -1 12", {}, {"2019-12", "2021-01"}},
      {{"2020-01-01", "2020-01-02"},
       "c: 0 1 -> error: n, line 2, column 'c': '03.01.2020' is not a date of the form %Y-%m-%d, as '2020-01-01' is...",
       {},
       {"03.01.2020"}},
  });
}

std::vector<std::string> Distinct(int count) {
  std::vector<std::string> cells;
  for (int i = 0; i < count; ++i) cells.push_back("text" + std::to_string(i));
  return cells;
}

TEST(RecipeZoo, ManyLevels) {
  // Sixteen different texts are levels, each of its own.
  EXPECT_EQ(RecipeOutcome({Distinct(16), ""}).substr(0, 18), "c=text0|c=text1|c=");
  // Seventeen of which none is there twice are names of rows; and there is no other column.
  CheckRecipes({{Distinct(17), "error: t: no input column is left..."},
                {Distinct(10000), "error: t: no input column is left..."}});
  // Frequent ones stay; of equally frequent ones the first; the others are together.
  std::vector<std::string> cells = Distinct(10000);
  for (int i = 0; i < 30; ++i) cells.push_back("text" + std::to_string(9000 + i % 15));
  RawTable raw = ParseRawTable(Csv(cells), "t");
  const LabelledTable table = LabelledTable::Of(std::move(raw), {});
  const Dataset data = table.Learn(table.known);
  ASSERT_EQ(data.columns(), 16);
  EXPECT_EQ(data.column_names.front(), "c=text9000");
  EXPECT_EQ(data.column_names.back(), "c=other");
  EXPECT_EQ(data.X.col(15).sum(), 10000 - 15);
  EXPECT_EQ(data.recipe->columns.front().rare.size(), 9985u);
  // What was rare is known; what was not there is not.
  const auto at = [&](const std::string& cell) {
    return MatchRows(ParseRawTable("c,z\n" + cell + ",0\n", "n", {{"c"}, {"c"}}),
                     {data.column_names, "y", data.recipe.get()});
  };
  EXPECT_EQ(at("text7").X(0, 15), 1);
  EXPECT_EQ(at("other").X(0, 15), 1);
  EXPECT_THROW(at("text10000"), Error);
  // A level called "other" joins the others.
  cells.insert(cells.end(), 50, "other");
  RawTable more = ParseRawTable(Csv(cells), "t");
  const LabelledTable with_other = LabelledTable::Of(std::move(more), {});
  const Dataset joined = with_other.Learn(with_other.known);
  EXPECT_EQ(joined.column_names.back(), "c=other");
  EXPECT_EQ(joined.columns(), 16);
  EXPECT_EQ(joined.X.col(15).sum(), 10000 - 15 + 50);
}

TEST(RecipeZoo, ATextThatIsProseIsNoCategory) {
  const std::string prose(300, 'x');
  CheckRecipes({{{prose, prose}, "error: t: the column 'c' holds texts of more than 200 bytes..."}});
}

TEST(RecipeZoo, TheTargetMustBeNumbers) {
  const auto fails = [](const std::string& text, const std::string& with, const CsvOptions& options = {}) {
    try {
      LabelledTable::Of(ParseRawTable(text, "t"), options);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(with), std::string::npos) << error.what();
    }
  };
  fails("a,y\n1,2\n2,two\n", "t, line 3, column 'y': 'two' is not a number; the target must hold numbers");
  fails("a,y\n1,\n2,NA\n", "no row has a value of the target");
  fails("a,y\n1,2\n", "there is no column 'z'", {"z"});
  fails("a\n1\n", "the table has one column");
}

TEST(RecipeZoo, EmptyTargetsAreRowsToPredict) {
  const LabelledTable table = LabelledTable::Of(ParseRawTable("a,y\n1,2\n2,\n3,4\n,5\n,\n", "t"), kDropRows);
  EXPECT_EQ(table.known, (std::vector<int>{0, 2}));
  EXPECT_EQ(table.open, std::vector<int>{1});
  EXPECT_EQ(table.dropped, 2);
  const Dataset data = table.Learn(table.known);
  EXPECT_EQ(data.recipe, nullptr);  // plain numbers need none
  EXPECT_EQ(table.As(data, table.open, UnseenPolicy::kError).X(0, 0), 2);
}

TEST(RecipeZoo, DatesAboveDatesAreNoHeader) {
  const RawTable table = ParseRawTable("2020-01-01,5\n2020-01-02,6\n", "t");
  EXPECT_FALSE(table.has_header);
  EXPECT_EQ(table.rows(), 2);
  EXPECT_FALSE(ParseRawTable("2020-01-01,5\n", "t").has_header);
  EXPECT_TRUE(ParseRawTable("when,5\n2020-01-02,6\n", "t").has_header);
  EXPECT_TRUE(ParseRawTable("2020-01,y\n5,6\n", "t").has_header);
  EXPECT_TRUE(ParseRawTable("city,y\nParis,6\n", "t").has_header);
}

TEST(RecipeZoo, LevelsAndMediansComeFromTheTrainingRowsAlone) {
  const LabelledTable table =
      LabelledTable::Of(ParseRawTable("c,a,y\nx,1,1\ny,100,2\nx,3,3\nz,,4\n", "t"), kImputeGaps);
  const Dataset data = table.Learn({0, 2});
  EXPECT_EQ(data.column_names, (std::vector<std::string>{"c=x", "a"}));
  EXPECT_EQ(data.recipe->columns[1].fill, 2);
  const RecipeRows rest = table.As(data, {1, 3}, UnseenPolicy::kOther);
  EXPECT_EQ(rest.X(0, 0), 0);
  EXPECT_EQ(rest.X(1, 1), 2);
  EXPECT_EQ(rest.notes.size(), 2u);
}

TEST(RecipeZoo, NamesThatAreTakenAreNumbered) {
  const LabelledTable table =
      LabelledTable::Of(ParseRawTable("c,c=x,c missing,y\nx,1,1,1\n,2,2,2\n", "t"), kImputeGaps);
  const Dataset data = table.Learn(table.known);
  EXPECT_EQ(data.column_names, (std::vector<std::string>{"c=x 2", "c missing 2", "c=x", "c missing"}));
}

}  // namespace
}  // namespace instantgp

#include "instantgp/data/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <cstring>
#include <limits>

#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"

namespace instantgp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Table Parse(const std::string& text, MissingPolicy missing = MissingPolicy::kError) {
  return ParseTable(text, "data.csv", missing);
}

// The message of the refusal; empty when the text was taken.
std::string Refusal(const std::string& text, MissingPolicy missing = MissingPolicy::kError) {
  try {
    Parse(text, missing);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadInput);
    return error.what();
  }
  return "";
}

Matrix Rows(std::initializer_list<std::initializer_list<double>> rows) {
  Matrix matrix(static_cast<Index>(rows.size()), static_cast<Index>(rows.begin()->size()));
  Index i = 0;
  for (const auto& row : rows) {
    Index j = 0;
    for (const double value : row) matrix(i, j++) = value;
    ++i;
  }
  return matrix;
}

TEST(Csv, EveryDialectGivesTheSameTable) {
  const Matrix expected = Rows({{1.5, -2}, {3, 4e-3}});
  for (const std::string line_end : {"\n", "\r\n", "\r"}) {
    for (const std::string separator : {",", ";", "\t", " , ", " ;\t"}) {
      for (const std::string point : {".", ","}) {
        if (point == "," && separator.find(';') == std::string::npos) continue;
        for (const bool mark : {false, true}) {
          for (const bool comments : {false, true}) {
            for (const bool quotes : {false, true}) {
              for (const bool last_line_end : {false, true}) {
                const std::string quote = quotes ? "\"" : "";
                const std::string comment = comments ? "# a, comment; \"here" + line_end + "  " + line_end : "";
                const std::string text = (mark ? "\xef\xbb\xbf" : "") + comment + quote + "a b" + quote + separator +
                                         "c" + line_end + comment + quote + "1" + point + "5" + quote + separator +
                                         "-2" + line_end + "+3" + separator + quote + "4e-3" + quote +
                                         (last_line_end ? line_end + comment : "");
                const Table table = Parse(text);
                EXPECT_EQ(table.values, expected) << text;
                EXPECT_THAT(table.names, ElementsAre("a b", "c")) << text;
                EXPECT_TRUE(table.has_header);
                const int skipped = comments ? 2 : 0;
                EXPECT_THAT(table.line_of_row, ElementsAre(2 + 2 * skipped, 3 + 2 * skipped)) << text;
              }
            }
          }
        }
      }
    }
  }
}

TEST(Csv, AFirstRowOfNumbersIsData) {
  const Table table = Parse("1,2,3\n4,5,6\n");
  EXPECT_FALSE(table.has_header);
  EXPECT_EQ(table.values, Rows({{1, 2, 3}, {4, 5, 6}}));
  EXPECT_THAT(table.names, ElementsAre("x1", "x2", "y"));
  // a missing mark does not make a header
  EXPECT_FALSE(Parse("1,NA\n2,3", MissingPolicy::kDrop).has_header);
  EXPECT_TRUE(Parse("1,x\n2,3").has_header);
}

TEST(Csv, QuotedNamesMayHoldAnything) {
  const Table table = Parse("\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",größe\n1,2,3,4\n");
  EXPECT_THAT(table.names, ElementsAre("a,b", "say \"hi\"", "two\nlines", "größe"));
  EXPECT_THAT(table.line_of_row, ElementsAre(3));
}

TEST(Csv, NumbersAreReadWithoutLocaleToTheLastBit) {
  const char* const german = std::setlocale(LC_ALL, "de_DE.UTF-8");  // if this machine has it
  const Table table = Parse("a\n0.1\n1e300\n-1e-300\n5e-324\n.5\n5.\n1E5\n+7\n1e-400\n0.30000000000000004\n");
  if (german != nullptr) std::setlocale(LC_ALL, "C");
  const double expected[] = {0.1, 1e300, -1e-300, 5e-324, 0.5, 5, 1e5, 7, 0, 0.30000000000000004};
  for (int i = 0; i < 10; ++i) EXPECT_EQ(table.values(i, 0), expected[i]) << i;
}

TEST(Csv, TinyIsZeroAndHugeIsRefused) {
  const std::string zeros(400, '0');
  for (const std::string& tiny :
       std::vector<std::string>{"1e-400", "0." + zeros + "1", "1e-99999999999999999999", "0e999"}) {
    EXPECT_EQ(Parse("a\n" + tiny).values(0, 0), 0) << tiny;
  }
  EXPECT_EQ(Parse("a\n1" + zeros + "e-400").values(0, 0), 1);
  for (const std::string& huge : std::vector<std::string>{"1e400", "1" + zeros, "-1e99999999999999999999",
                                                          "0.1" + zeros + "e999", "inf", "-Infinity"}) {
    EXPECT_THAT(Refusal("a\n" + huge), HasSubstr("infinite or too large")) << huge;
  }
}

TEST(Csv, WhatIsNotANumberIsRefusedWithItsPlace) {
  for (const std::string bad : {"abc", "1.2.3", "1e", "--1", "+-1", "0x10", "1 2", "12%", "1_000", "-nan", "nan(1)",
                                "N/A", "1,5", "-", ".", "e5", "2020-01-01"}) {
    const std::string message = Refusal("# first\nage;size\n1;2\n3;\"4\"\n5;" + bad + bad);
    EXPECT_THAT(message, HasSubstr("data.csv, line 5, column 'size'")) << bad;
    EXPECT_THAT(message, HasSubstr("'" + bad + bad + "' is not a number"));
    EXPECT_THAT(message, HasSubstr("; "));
  }
  EXPECT_THAT(Refusal("1,2\n3,x"), HasSubstr("data.csv, line 2, column 2: 'x' is not a number"));
  EXPECT_THAT(Refusal("a\tb\n1,5\t2"), HasSubstr("decimal comma is understood only"));
  EXPECT_THAT(Refusal("a;b\n1.234,5;2"), HasSubstr("thousands"));
  EXPECT_THAT(Refusal("a b\n1 2"), HasSubstr("separated by a comma, a semicolon or a tab"));
  const std::string page(5000, 'x');
  EXPECT_LT(Refusal("a\n" + page).size(), 300u);
}

TEST(Csv, MissingValuesFollowThePolicy) {
  for (const std::string mark : {"", "NA", "NaN", "nan", "null", "?", "\"\"", "\"NA\"", " "}) {
    const std::string text = "a,b,c\n1," + mark + ",3\n4,5,6\n";
    const std::string message = Refusal(text);
    EXPECT_THAT(message, HasSubstr("data.csv, line 2, column 'b': the value is missing")) << mark;
    EXPECT_THAT(message, HasSubstr("drop rows with missing values"));
    try {
      Parse(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.remedies(), (std::vector<Remedy>{{"missing", "drop"}}));
    }
    const Table dropped = Parse(text, MissingPolicy::kDrop);
    EXPECT_EQ(dropped.values, Rows({{4, 5, 6}}));
    EXPECT_EQ(dropped.dropped_rows, 1);
    EXPECT_THAT(dropped.line_of_row, ElementsAre(3));
  }
  EXPECT_THAT(Refusal("a,b\n1,\n,2\n", MissingPolicy::kDrop), HasSubstr("none is left"));
  // dropping hides missing values only
  EXPECT_THAT(Refusal("a,b\n,x\n1,2\n", MissingPolicy::kDrop), HasSubstr("'x' is not a number"));
  EXPECT_THAT(Refusal("a,b\n,inf\n1,2\n", MissingPolicy::kDrop), HasSubstr("infinite"));
}

TEST(Csv, RefusesBrokenTablesWithLineAndCure) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "the table is empty"},
      {"\n\n  \n", "the table is empty"},
      {"# only a comment", "the table is empty"},
      {"\xef\xbb\xbf", "the table is empty"},
      {"a,b\n", "a header but no rows"},
      {"a,b\n1,2\n3\n", "line 3: there are 1 cells where line 1 has 2"},
      {"a,b\n1,2,3\n", "line 2: there are 3 cells where line 1 has 2"},
      {"1,2\n\n#x\n3,4,5\n", "line 4: there are 3 cells where line 1 has 2"},
      {"a,a\n1,2\n", "line 1: column 2 of the header repeats the name 'a'"},
      {"a,\n1,2\n", "line 1: column 2 of the header has no name"},
      {"a,\"b\n1,2\n", "line 1: a quote is opened here and never closed"},
      {"a,b\n1,\"2\" x\n", "line 2: text follows a closing quote"},
      {std::string("a,b\n1,2\n3,\0", 11), "line 3: there is a zero byte"},
      {"a,b\n1,\x01\n", "line 2: there is a control character"},
      {"a,b\xff\n1,2\n", "line 1: there is a byte that is not UTF-8"},
      {"\xff\xfe"
       "a",
       "line 1: this is UTF-16"},
      {"a,\xed\xa0\x80\n1,2", "not UTF-8"},
      {"a,\xc0\xaf\n1,2", "not UTF-8"},
      {"a,\xe2\x82", "not UTF-8"},
  };
  for (const auto& [text, reason] : cases) EXPECT_THAT(Refusal(text), HasSubstr(reason)) << text;
}

TEST(Csv, ManyColumnsAndOneRow) {
  std::string header;
  std::string row;
  for (int j = 0; j < 100; ++j) {
    header += (j ? ",c" : "c") + std::to_string(j);
    row += (j ? "," : "") + std::to_string(j);
  }
  const Table table = Parse(header + "\n" + row);
  EXPECT_EQ(table.values.cols(), 100);
  EXPECT_EQ(table.values(0, 99), 99);
  EXPECT_EQ(ToDataset(table).columns(), 99);
}

TEST(Csv, ColumnsAreFoundByNameThenByNumber) {
  const Table table = Parse("age,2,size\n1,2,3\n");
  EXPECT_EQ(table.ColumnIndex("age"), 0);
  EXPECT_EQ(table.ColumnIndex("2"), 1);
  EXPECT_EQ(table.ColumnIndex("3"), 2);
  EXPECT_EQ(table.ColumnIndex("1"), 0);
  for (const std::string unknown : {"sizes", "0", "4", "-1", "", "1x", "99999999999999999999999"}) {
    try {
      table.ColumnIndex(unknown);
      FAIL() << unknown;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadInput);
      EXPECT_THAT(error.what(), HasSubstr("age, 2, size"));
      EXPECT_EQ(std::string(error.what()).find("did you mean 'size'") != std::string::npos, unknown == "sizes");
    }
  }
}

TEST(Csv, TheTargetIsTheLastColumnOrTheOneAskedFor) {
  const Table table = Parse("a,b,c\n1,2,3\n4,5,6\n");
  const Dataset last = ToDataset(table);
  EXPECT_EQ(last.target_name, "c");
  EXPECT_EQ(last.X, Rows({{1, 2}, {4, 5}}));
  const Dataset first = ToDataset(table, "a");
  EXPECT_EQ(first.target_name, "a");
  EXPECT_THAT(first.column_names, ElementsAre("b", "c"));
  EXPECT_EQ(first.X, Rows({{2, 3}, {5, 6}}));
  EXPECT_EQ(first.y(1), 4);
  EXPECT_THROW(ToDataset(Parse("a\n1\n")), Error);
}

TEST(Csv, FormatThenParseIsTheIdentity) {
  for (int seed = 0; seed < 300; ++seed) {
    RandomStream random(static_cast<std::uint64_t>(seed));
    const int columns = random.UniformInt(1, 6);
    std::vector<std::string> names;
    for (int j = 0; j < columns; ++j) {
      std::string name = "n" + std::to_string(j);
      for (int k = random.UniformInt(0, 6); k > 0; --k) name += "ab ,;\t\"\n#ü."[random.UniformInt(0, 8)];
      names.push_back(name + "|");
      if (random.Bernoulli(0.3)) names.back() = "#" + names.back();
      if (random.Bernoulli(0.1)) names.back() = "\xef\xbb\xbf" + names.back();
    }
    Matrix values(random.UniformInt(1, 8), columns);
    for (Index i = 0; i < values.size(); ++i) {
      do {
        const std::uint64_t bits = (std::uint64_t{random.Bits()} << 32) | random.Bits();
        std::memcpy(values.data() + i, &bits, 8);
      } while (!std::isfinite(values.data()[i]));
    }
    const Table table = Parse(FormatCsv(names, values));
    EXPECT_EQ(table.names, names);
    EXPECT_EQ(table.values, values);
  }
}

TEST(Csv, ReadsFilesAndNamesThem) {
  EXPECT_THROW(ReadCsv("/nonexistent/data.csv"), Error);
  const Table table = Parse("a,b\n1,2\n");
  EXPECT_EQ(FormatCsv(table.names, table.values), "a,b\n1,2\n");
}

TEST(Csv, AnyBytesGiveATableOrAnError) {
  const std::string seeds[] = {"age,size\n1,2\n3.5,4e2\n", "a;b;c\r\n1,5;2;\r\n\"3\";4;NA\r\n",
                               "\xef\xbb\xbf# c\n\"x \"\"y\"\"\"\tz\n1\t2\n", "1,2,3\n4,5,6\n7,8,9\n"};
  const std::string alphabet = "0123456789.,;\t\"\n\r#eE+-naN ?\xc3\xbc\xff";
  int tables = 0;
  for (int seed = 0; seed < 20000; ++seed) {
    RandomStream random(static_cast<std::uint64_t>(seed));
    std::string text;
    const int kind = random.UniformInt(0, 3);
    if (kind == 0) {
      for (int k = random.UniformInt(0, 60); k > 0; --k) text += static_cast<char>(random.Bits());
    } else if (kind == 1) {
      for (int k = random.UniformInt(0, 60); k > 0; --k) {
        text += alphabet[static_cast<std::size_t>(random.UniformInt(0, static_cast<int>(alphabet.size()) - 1))];
      }
    } else {
      text = seeds[random.UniformInt(0, 3)];
      for (int edits = random.UniformInt(1, 4); edits > 0 && !text.empty(); --edits) {
        const auto at = static_cast<std::size_t>(random.UniformInt(0, static_cast<int>(text.size()) - 1));
        const char c = alphabet[static_cast<std::size_t>(random.UniformInt(0, static_cast<int>(alphabet.size()) - 1))];
        switch (random.UniformInt(0, 3)) {
          case 0:
            text[at] = c;
            break;
          case 1:
            text.insert(at, 1, c);
            break;
          case 2:
            text.erase(at, static_cast<std::size_t>(random.UniformInt(1, 5)));
            break;
          default:
            text.resize(at);
        }
      }
    }
    try {
      const Table table = Parse(text, random.Bernoulli(0.5) ? MissingPolicy::kDrop : MissingPolicy::kError);
      ++tables;
      ASSERT_TRUE(table.values.allFinite());
      ASSERT_GE(table.values.rows(), 1);
      ASSERT_EQ(static_cast<std::size_t>(table.values.cols()), table.names.size());
      ASSERT_EQ(static_cast<std::size_t>(table.values.rows()), table.line_of_row.size());
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::kBadInput);
      ASSERT_THAT(error.what(), HasSubstr("data.csv"));
    }
  }
  EXPECT_GT(tables, 1000);  // both outcomes are met
  EXPECT_LT(tables, 19000);
}

}  // namespace
}  // namespace instantgp

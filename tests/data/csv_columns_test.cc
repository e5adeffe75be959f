// The fast reader of columns against the lexer that reads cell by cell, and against tables whose numbers are known.
#include "instantgp/data/csv_columns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"
#include "instantgp/data/csv.h"
#include "instantgp/data/csv_lexer.h"
#include "instantgp/data/csv_number.h"
#include "instantgp/data/raw_table.h"

namespace instantgp {
namespace {

std::uint64_t BitsOf(double value) { return std::bit_cast<std::uint64_t>(value); }

// What the columns of a text should be, read record by record; nullopt where a record is malformed or a cell infinite.
std::optional<NumberColumns> Naive(std::string_view text, const CsvLayout& layout) {
  CsvLexer lexer(text, layout.separator);
  NumberColumns result;
  std::size_t kept = 0;
  for (const bool keep : layout.kept) kept += keep ? 1 : 0;
  result.columns.resize(kept);
  result.missing.assign(kept, false);
  result.text.assign(kept, false);
  std::vector<CsvCell> cells;
  while (lexer.Next(cells)) {
    if (cells.size() != layout.kept.size()) return std::nullopt;
    std::size_t k = 0;
    for (std::size_t j = 0; j < cells.size(); ++j) {
      if (!layout.kept[j]) continue;
      const CellValue cell = ReadCell(cells[j].raw, layout.decimal_comma);
      if (cell.kind == CellKind::kInfinite) return std::nullopt;
      result.columns[k].push_back(cell.kind == CellKind::kNumber ? cell.value
                                                                 : std::numeric_limits<double>::quiet_NaN());
      if (cell.kind == CellKind::kMissing) result.missing[k] = true;
      if (cell.kind == CellKind::kText) result.text[k] = true;
      ++k;
    }
    result.line_of_row.push_back(lexer.line());
  }
  if (!lexer.problem().empty()) return std::nullopt;
  return result;
}

// Every column as texts.
void ExpectSameTexts(const std::string& text, CsvLayout layout, int threads) {
  layout.as_text = layout.kept;
  CsvLexer lexer(text, layout.separator);
  std::vector<CsvCell> cells;
  std::vector<std::vector<std::string>> expected(
      static_cast<std::size_t>(std::count(layout.kept.begin(), layout.kept.end(), true)));
  bool readable = true;
  while (lexer.Next(cells)) {
    readable = readable && cells.size() == layout.kept.size();
    if (!readable) break;
    std::size_t k = 0;
    for (std::size_t j = 0; j < cells.size(); ++j) {
      if (layout.kept[j]) expected[k++].push_back(cells[j].text());
    }
  }
  const auto read = ReadNumberColumns(text, layout, 1, threads);
  if (!readable || !lexer.problem().empty()) {
    EXPECT_FALSE(read.has_value()) << text;
  } else if (!read) {
    EXPECT_NE(text.find('\r'), std::string::npos) << text;
  } else {
    ASSERT_EQ(read->texts, expected) << text;
    EXPECT_TRUE(read->columns.empty());
  }
}

void ExpectSame(const std::string& text, const CsvLayout& layout, int threads = 0) {
  ExpectSameTexts(text, layout, threads);
  const auto expected = Naive(text, layout);
  const auto read = ReadNumberColumns(text, layout, 1, threads);
  if (!expected) {
    EXPECT_FALSE(read.has_value()) << text;
    return;
  }
  // What is infinite in a column of texts may be left to the strict reader, and old line ends too.
  if (!read) {
    EXPECT_NE(text.find('\r'), std::string::npos) << text;
    return;
  }
  ASSERT_EQ(read->line_of_row, expected->line_of_row) << text;
  EXPECT_EQ(read->text, expected->text) << text;
  for (std::size_t k = 0; k < expected->columns.size(); ++k) {
    if (expected->text[k]) continue;
    EXPECT_EQ(read->missing[k], expected->missing[k]) << text;
    ASSERT_EQ(read->columns[k].size(), expected->columns[k].size()) << text;
    for (std::size_t i = 0; i < expected->columns[k].size(); ++i) {
      ASSERT_EQ(BitsOf(read->columns[k][i]), BitsOf(expected->columns[k][i])) << text << " row " << i;
    }
  }
}

const CsvLayout kTwo{',', false, {true, true}};

TEST(CsvColumns, NumbersAreThoseOfTheCellReaderToTheLastBit) {
  RandomStream random(1);
  std::vector<std::string> cells = {"0",
                                    "-0",
                                    "1",
                                    "+3",
                                    "007",
                                    ".5",
                                    "5.",
                                    "-.5",
                                    "1e22",
                                    "1e23",
                                    "1e-22",
                                    "1e-23",
                                    "1E+5",
                                    "2.5e-3",
                                    "12345678",
                                    "123456789",
                                    "1234567.8",
                                    "12345678.12345678",
                                    "9007199254740992",
                                    "9007199254740993",
                                    "9007199254740993.0",
                                    "18446744073709551615",
                                    "18446744073709551616",
                                    "99999999999999999999",
                                    "123456789012345678901234567890",
                                    "0.00000000000000000000123",
                                    "4.9e-324",
                                    "1.7976931348623157e308",
                                    "0.000000000000000000000000000001",
                                    "1e0000000000003",
                                    "1e-400"};
  char text[64];
  for (int k = 0; k < 20000; ++k) {
    const double value = random.Normal() * std::pow(10.0, random.UniformInt(-30, 30));
    std::snprintf(text, sizeof text, "%.*g", random.UniformInt(1, 19), value);
    cells.emplace_back(text);
    std::snprintf(text, sizeof text, "%.*f", random.UniformInt(0, 12), random.Normal() * 1000);
    cells.emplace_back(text);
  }
  std::string points, commas;
  for (const std::string& cell : cells) {
    points += cell + ",1\n";
    std::string comma = cell;
    if (const auto point = comma.find('.'); point != std::string::npos) comma[point] = ',';
    commas += comma + ";1\n";
  }
  ExpectSame(points, kTwo);
  ExpectSame(commas, {';', true, {true, true}});
  const auto read = ReadNumberColumns(points, kTwo);
  ASSERT_TRUE(read.has_value());
  for (std::size_t k = 0; k < cells.size(); ++k) {
    EXPECT_EQ(BitsOf(read->columns[0][k]), BitsOf(std::strtod(cells[k].c_str(), nullptr))) << cells[k];
  }
}

TEST(CsvColumns, EveryShortTextIsReadAsTheLexerReadsIt) {
  // All texts of six characters out of those that mean something.
  const std::string letters = "1,\n\" -x";
  std::string text(6, ' ');
  int total = 1;
  for (std::size_t k = 0; k < text.size(); ++k) total *= static_cast<int>(letters.size());
  for (int code = 0; code < total; ++code) {
    int rest = code;
    for (char& c : text) {
      c = letters[static_cast<std::size_t>(rest) % letters.size()];
      rest /= static_cast<int>(letters.size());
    }
    ExpectSame(text, kTwo);
    if (HasFatalFailure()) return;
  }
}

TEST(CsvColumns, OddCellsAndLines) {
  for (const char* text : {"",
                           "\n",
                           "1\n",
                           "1,2,3\n",
                           "1,\n",
                           ",2\n",
                           ",\n",
                           "1,2\n\n",
                           "\n1,2\n",
                           "1,2\n#c\n",
                           "# \"c\n1,2\n  # d\n\t\n3,4",
                           "\"1\",2\n",
                           "\"1\n\",2\n3,4\n",
                           "\"a \"\"b\"\"\",2\n1,3\n",
                           "\"1\" ,2\n",
                           "\"1\"x,2\n",
                           "\"1,2\n",
                           " 1,2\n",
                           "1, 2\n",
                           "1,2 \n",
                           "1\t,\t2\n",
                           "1,x\n2,3\n",
                           "1,NaN\n",
                           "NA,1\n?,2\nnull,3\n",
                           "1,inf\n",
                           "1,-inf\n",
                           "1,1e\n",
                           "1,1e+\n",
                           "1,1e+-3\n",
                           "1,--2\n",
                           "1,-\n",
                           "1,.\n",
                           "1,1e999\n",
                           "1,-1e999\n",
                           "1,0x10\n",
                           "1;2\n",
                           "1,2\r3,4\r",
                           "1,2\r\n3,4\r\n",
                           "1,2\n3\n",
                           "1,2\n3,4,5\n",
                           "1,2\n3,",
                           "1,2\n3,4\r",
                           "1,2\r\r\n",
                           "1.2.3,4\n",
                           "1,1,5\n",
                           "1e5x,2\n"}) {
    ExpectSame(text, kTwo);
    ExpectSame(text, {',', false, {true, false}});
    ExpectSame(text, {',', false, {false, true}});
    ExpectSame(text, {';', true, {true, true}});
  }
}

TEST(CsvColumns, ColumnsThatAreNotKeptMayHoldAnything) {
  const auto read =
      ReadNumberColumns("1,word,2\n3,,4\n5,a b,6\n7,\"c,\"\"d\",8\n9, \"e\" ,10\n", {',', false, {true, false, true}});
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->columns, (std::vector<std::vector<double>>{{1, 3, 5, 7, 9}, {2, 4, 6, 8, 10}}));
}

// A table of random numbers written in every way a table may be written.
struct Written {
  std::string text;
  std::vector<std::vector<double>> columns;
  std::vector<int> lines;
};

Written RandomTable(RandomStream& random, int rows, const CsvLayout& layout) {
  Written table;
  table.columns.resize(layout.kept.size());
  const char* const ends[] = {"\n", "\r\n"};
  const char* const end = ends[random.UniformInt(0, 1)];
  const bool odd = random.UniformInt(0, 2) > 0;
  int line = 1;
  for (int i = 0; i < rows; ++i) {
    while (odd && random.UniformInt(0, 9) == 0) {
      const char* const between[] = {"", "# a comment, with \"quotes\" and 1;2", "   ", "  #"};
      table.text += std::string(between[random.UniformInt(0, 3)]) + end;
      ++line;
    }
    table.lines.push_back(line);
    for (std::size_t j = 0; j < layout.kept.size(); ++j) {
      if (j > 0) table.text += layout.separator;
      char cell[64];
      std::snprintf(cell, sizeof cell, "%.*g", random.UniformInt(1, 17),
                    random.Normal() * std::pow(10.0, random.UniformInt(-6, 9)));
      double value = std::strtod(cell, nullptr);
      std::string shown = cell;
      if (layout.decimal_comma) {
        if (const auto point = shown.find('.'); point != std::string::npos) shown[point] = ',';
      }
      const int style = odd ? random.UniformInt(0, 19) : 0;
      if (style == 1) shown = "\"" + shown + "\"";
      if (style == 2) shown = " " + shown + "  ";
      if (style == 3) shown = "\" " + shown + " \"";
      if (style == 4) shown = "NA";
      if (style == 5) shown = layout.kept.size() > 1 ? "" : "nan";
      if (style == 4 || style == 5) value = std::numeric_limits<double>::quiet_NaN();
      table.text += shown;
      table.columns[j].push_back(value);
    }
    table.text += end;
    ++line;
  }
  if (random.UniformInt(0, 1) == 0) table.text.resize(table.text.size() - std::string(end).size());
  return table;
}

TEST(CsvColumns, RandomTablesInEveryStyle) {
  RandomStream random(3);
  const CsvLayout layouts[] = {
      {',', false, {true, true, true}}, {';', true, {true, true}}, {'\t', false, {true, true}}, {',', false, {true}}};
  for (int k = 0; k < 400; ++k) {
    const CsvLayout& layout = layouts[k % 4];
    const Written table = RandomTable(random, random.UniformInt(1, 40), layout);
    const auto read = ReadNumberColumns(table.text, layout);
    ASSERT_TRUE(read.has_value()) << table.text;
    EXPECT_EQ(read->line_of_row, table.lines) << table.text;
    for (std::size_t j = 0; j < table.columns.size(); ++j) {
      ASSERT_EQ(read->columns[j].size(), table.columns[j].size());
      for (std::size_t i = 0; i < table.columns[j].size(); ++i) {
        const double a = read->columns[j][i], b = table.columns[j][i];
        ASSERT_TRUE(BitsOf(a) == BitsOf(b) || (std::isnan(a) && std::isnan(b))) << table.text << "\n" << a << " " << b;
      }
    }
    // Cut off anywhere, and with any byte changed, it is what the lexer says it is.
    for (int cut = 0; cut < 20; ++cut) {
      const auto at = static_cast<std::size_t>(random.UniformInt(0, static_cast<int>(table.text.size()) - 1));
      ExpectSame(table.text.substr(0, at), layout);
      std::string changed = table.text;
      changed[at] = "\",;\n\r#x -.e1"[random.UniformInt(0, 11)];
      ExpectSame(changed, layout);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(CsvColumns, ManyPiecesOnAnyNumberOfThreads) {
  RandomStream random(4);
  // Quotes in comments lead the guess astray where records end.
  for (const auto& [quotes, comment] :
       {std::pair(false, "\n# between \"\n"), std::pair(true, "\n# between\n"), std::pair(true, "\n# between \"\n")}) {
    std::string text = "# above\n";
    std::vector<double> a, b;
    std::vector<int> lines;
    int line = 2;
    char cells[128];
    while (text.size() < (std::size_t{5} << 20)) {
      a.push_back(random.Normal());
      b.push_back(random.Normal() * 1e9);
      std::snprintf(cells, sizeof cells, "%.17g,%.17g,", a.back(), b.back());
      text += cells;
      lines.push_back(line++);
      if (quotes && a.size() % 7 == 0) {
        text += "\"two\nlines, \"\"\"";
        ++line;
      } else {
        text += "word";
      }
      text += '\n';
      if (a.size() % 1000 == 0) {
        text += comment;
        line += 2;
      }
    }
    const CsvLayout layout{',', false, {true, true, false}};
    for (const int threads : {1, 2, 3}) {
      const auto read = ReadNumberColumns(text, layout, 1, threads);
      ASSERT_TRUE(read.has_value());
      EXPECT_EQ(read->columns[0], a);
      EXPECT_EQ(read->columns[1], b);
      EXPECT_EQ(read->line_of_row, lines);
    }
    ExpectSameTexts(text, layout, 2);
    std::string ragged = text;
    ragged.insert(ragged.size() / 2, "\n1\n");
    EXPECT_FALSE(ReadNumberColumns(ragged, layout).has_value());
  }
}

// A column may turn out to be texts in its first rows, or far below, in another piece; its cells are as they were
// written.
TEST(CsvColumns, TextsThatTurnUpLate) {
  for (const int at : {0, 3, 99, 100, 101, 5000, 200000, 399999}) {
    std::string text = "a,b,c\n";
    for (int i = 0; i < 400000; ++i) text += i == at ? "1,word, x y \n" : "1.50, 2.0 ,\"007\"\n";
    const RawTable table = ParseRawTable(text, "t.csv");
    ASSERT_EQ(table.rows(), 400000);
    EXPECT_EQ(std::get<RawColumn::Numbers>(table.columns[0].cells)[5], at == 5 ? 1 : 1.5);
    const auto& words = std::get<RawColumn::Texts>(table.columns[1].cells);
    const auto& others = std::get<RawColumn::Texts>(table.columns[2].cells);
    for (const int row : {0, 1, 98, 99, 100, 101, 102, 199999, 200000, 399998, 399999}) {
      const auto place = static_cast<std::size_t>(row);
      EXPECT_EQ(words[place], row == at ? "word" : "2.0") << at << " " << row;
      EXPECT_EQ(others[place], row == at ? "x y" : "007") << at << " " << row;
    }
  }
}

// Errors are those of the strict reader, whatever was read fast before them.
TEST(CsvColumns, MessagesSayLineColumnAndCell) {
  std::string head = "a,b\n";
  for (int i = 0; i < 3000; ++i) head += "1.5,-2\n";
  const auto message = [](const std::string& text) -> std::string {
    try {
      ParseTable(text, "t.csv");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_TRUE(message(head + "1,x\n").starts_with("t.csv, line 3002, column 'b': 'x' is not a number"));
  EXPECT_TRUE(message(head + "1,\n").starts_with("t.csv, line 3002, column 'b': the value is missing"));
  EXPECT_TRUE(message(head + "1e999,1\n").starts_with("t.csv, line 3002, column 'a': '1e999' is infinite"));
  EXPECT_TRUE(message(head + "1\n").starts_with("t.csv, line 3002: there are 1 cells where line 1 has 2"));
  EXPECT_TRUE(message(head + "1,\"2\n").starts_with("t.csv, line 3002: a quote is opened here and never closed"));
  EXPECT_TRUE(message(head + "1,2\x01\n").starts_with("t.csv, line 3002: there is a control character"));
  EXPECT_TRUE(message(head + "1,\xff\n").starts_with("t.csv, line 3002: there is a byte that is not UTF-8"));
}

TEST(CsvColumns, RawTablesKeepTextsBesideNumbers) {
  std::string text =
      "\xef\xbb\xbf"
      "when;size;city\r\n";
  for (int i = 0; i < 500; ++i)
    text += "2020-01-0" + std::to_string(1 + i % 9) + ";" + std::to_string(i) + ",25;\"Köln; \"\"am\"\" Rhein\"\r\n";
  text += "2020-02-01;;Ulm";
  const RawTable table = ParseRawTable(text, "t.csv");
  ASSERT_EQ(table.rows(), 501);
  const auto& size = std::get<RawColumn::Numbers>(table.columns[1].cells);
  EXPECT_EQ(size[499], 499.25);
  EXPECT_TRUE(std::isnan(size[500]));
  EXPECT_EQ(std::get<RawColumn::Texts>(table.columns[2].cells)[3], "Köln; \"am\" Rhein");
  EXPECT_EQ(table.line_of_row.back(), 502);
}

}  // namespace
}  // namespace instantgp

// Records from a file read in blocks are those of the whole text, wherever the blocks end.
#include "instantgp/data/table_text.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "instantgp/base/error.h"

namespace instantgp {
namespace {

struct Record {
  std::vector<std::string> cells;
  int line = 0;
  friend bool operator==(const Record&, const Record&) = default;
};

std::vector<Record> Whole(const std::string& text, std::string* problem) {
  CsvLexer lexer(text, ',');
  std::vector<CsvCell> cells;
  std::vector<Record> records;
  while (lexer.Next(cells)) {
    Record& record = records.emplace_back();
    for (const CsvCell& cell : cells) record.cells.push_back(cell.text());
    record.line = lexer.line();
  }
  *problem = lexer.problem();
  return records;
}

std::vector<Record> InBlocks(const TableText& text, std::size_t block, std::string* problem) {
  RecordReader reader(text, ',', 0, block);
  std::vector<CsvCell> cells;
  std::vector<Record> records;
  while (reader.Next(cells)) {
    Record& record = records.emplace_back();
    for (const CsvCell& cell : cells) record.cells.push_back(cell.text());
    record.line = reader.line();
    // The bytes it names hold this record and nothing else.
    const std::string bytes = text.Read(reader.begin(), reader.end() - reader.begin());
    CsvLexer own(bytes, ',');
    std::vector<CsvCell> same;
    EXPECT_TRUE(own.Next(same));
    EXPECT_EQ(same.size(), cells.size());
    EXPECT_FALSE(own.Next(same));
  }
  *problem = reader.problem();
  return records;
}

TEST(TableTextTest, BlocksOfAnySizeGiveTheSameRecords) {
  const std::vector<std::string> texts = {
      "a,b\n1,2\n3,4\n",
      "a,b\r\n1,2\r\n\r\n3,4",
      "a,b\r1,2\r3,4\r",
      "# a comment, with \"a quote\na,b\n\n  \n# another\n1,\"two\nlines, \"\"quoted\"\"\"\n3,4\n# the end",
      "a\n\"unclosed,\n1,2\n",
      "a\n\"text\" behind\n1\n",
      "",
      "\n\n",
      "x",
  };
  for (const std::string& text : texts) {
    std::string expected_problem, problem;
    const std::vector<Record> expected = Whole(text, &expected_problem);
    for (std::size_t block = 1; block <= text.size() + 2; ++block) {
      EXPECT_EQ(InBlocks(TableText::Of(text), block, &problem), expected) << text << " in blocks of " << block;
      EXPECT_EQ(problem, expected_problem) << text << " in blocks of " << block;
    }
  }
}

TEST(TableTextTest, AFileIsReadWhereItIsAsked) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "instantgp_table_text_test.csv";
  std::ofstream(path) << "a,b\n1,2\n3,4\n";
  {
    const TableText text = TableText::Open(path.string());
    EXPECT_EQ(text.size(), 12U);
    EXPECT_EQ(text.Read(4, 3), "1,2");
    EXPECT_EQ(text.Read(8, 100), "3,4\n");
    EXPECT_EQ(text.Read(100, 1), "");
    std::string problem;
    EXPECT_EQ(InBlocks(text, 5, &problem).size(), 3U);
    std::filesystem::resize_file(path, 6);
    EXPECT_THROW(text.Read(0, 12), Error);
  }
  std::filesystem::remove(path);
  EXPECT_THROW(TableText::Open(path.string()), Error);
}

}  // namespace
}  // namespace instantgp

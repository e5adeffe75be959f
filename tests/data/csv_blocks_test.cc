#include "instantgp/data/csv_blocks.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/data/csv.h"

namespace instantgp {
namespace {

class CsvBlocksTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/csv_blocks_XXXXXX";
    const int fd = ::mkstemp(name);
    ASSERT_GE(fd, 0);
    ::close(fd);
    path_ = name;
  }
  void TearDown() override { ::unlink(path_.c_str()); }

  // All rows, read block by block.
  Matrix InBlocks(const std::string& text, std::size_t block_bytes, int* count = nullptr) {
    WriteFileAtomically(path_, text);
    CsvBlocks blocks(path_, block_bytes);
    std::optional<BlockHeader> header;
    std::vector<Matrix> parts;
    Index rows = 0;
    while (blocks.Next()) {
      const Table table = ParseTable(header ? header->Above(blocks) : std::string(blocks.text()), "block");
      if (!header) header.emplace(blocks.text(), table.has_header);
      parts.push_back(table.values);
      rows += table.values.rows();
    }
    if (count != nullptr) *count = static_cast<int>(parts.size());
    Matrix all(rows, parts.front().cols());
    Index at = 0;
    for (const Matrix& part : parts) {
      all.middleRows(at, part.rows()) = part;
      at += part.rows();
    }
    return all;
  }

  std::string path_;
};

TEST_F(CsvBlocksTest, BlocksOfAnySizeGiveTheRowsOfTheWhole) {
  std::string plain = "a,b\n", quoted = "\"a\nname\",\"b \"\"c\"\"\"\n", bare, windows = "a;b\r\n";
  for (int i = 0; i < 60; ++i) {
    const std::string x = std::to_string(i * 7 % 13), y = std::to_string(i) + ".5";
    plain += x + "," + y + "\n";
    quoted += "\"" + x + "\"," + y + "\n";
    bare += x + "," + y + "\n";
    windows += x + ";" + std::to_string(i) + ",5\r\n";
  }
  bare.pop_back();  // no line end at the end
  for (const std::string& text : {plain, quoted, bare, windows}) {
    const Matrix whole = ParseTable(text, "whole").values;
    for (const std::size_t size : {16u, 17u, 31u, 64u, 100u, 1000u, 100000u}) {
      int count = 0;
      EXPECT_EQ(InBlocks(text, size, &count), whole) << size << " of " << text.substr(0, 20);
      EXPECT_GT(count, size <= 64 ? 5 : 0);
    }
  }
}

// The second byte-order mark belongs to the name, which is no number for it: not in later blocks either.
TEST_F(CsvBlocksTest, ANameThatBeginsWithAByteOrderMarkStaysTheHeader) {
  const std::string text =
      "\xef\xbb\xbf\xef\xbb\xbf"
      "2024\n1\n2\n3\n4\n5\n6\n";
  EXPECT_EQ(InBlocks(text, 16), ParseTable(text, "whole").values);
}

TEST_F(CsvBlocksTest, ABlockWithTheLinesOfTheFileSaysWhereARowIsWrong) {
  std::string text = "# a comment\na,b\n";
  for (int i = 0; i < 40; ++i) text += "1,2\n";
  text += "1,x\n";
  WriteFileAtomically(path_, text);
  CsvBlocks blocks(path_, 32);
  std::optional<BlockHeader> header;
  std::string message;
  while (message.empty() && blocks.Next()) {
    if (!header) {
      header.emplace(blocks.text(), true);
      continue;
    }
    try {
      ParseTable(header->Above(blocks, true), "t.csv");
    } catch (const Error& error) {
      message = error.what();
    }
  }
  EXPECT_TRUE(message.starts_with("t.csv, line 43, column 'b'")) << message;
}

TEST_F(CsvBlocksTest, NothingGivesNoBlock) {
  WriteFileAtomically(path_, "");
  CsvBlocks blocks(path_);
  EXPECT_FALSE(blocks.Next());
}

TEST_F(CsvBlocksTest, LinesAndPlacesAreThoseOfTheFile) {
  const std::string text = "a,b\r\n1,\"x\ny\"\r2,3\r\n# c\n\n4,5\n6,7";
  WriteFileAtomically(path_, text);
  for (std::size_t size = 1; size < text.size() + 2; ++size) {
    CsvBlocks blocks(path_, size);
    std::string all;
    while (blocks.Next()) {
      EXPECT_EQ(blocks.begin(), all.size());
      int line = 1;
      for (std::size_t k = 0; k < all.size(); ++k) {
        line += all[k] == '\n' || (all[k] == '\r' && text[k + 1] != '\n') ? 1 : 0;
      }
      EXPECT_EQ(blocks.line(), line) << "blocks of " << size;
      all += blocks.text();
    }
    EXPECT_EQ(all, text) << "blocks of " << size;
  }
}

}  // namespace
}  // namespace instantgp

// The text of a table that may be larger than memory, and its records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "instantgp/data/csv_blocks.h"
#include "instantgp/data/csv_lexer.h"

namespace instantgp {

// Bytes held in memory, or a file that is read where it is asked. Copies share them. Const calls are thread-safe.
class TableText {
 public:
  static TableText Of(std::string text);
  // A regular file is left on disk; "-", a pipe, a device or what is compressed is read into memory. Error(kBadInput)
  // naming path and reason.
  static TableText Open(const std::string& path);

  std::uint64_t size() const;
  // The bytes from `begin` on, `count` or as many as there are. Error(kBadInput) when the file no longer has them.
  std::string Read(std::uint64_t begin, std::uint64_t count) const;
  // The same into memory of the caller's; returns how many.
  std::size_t ReadInto(char* into, std::uint64_t begin, std::uint64_t count) const;

 private:
  struct File;
  std::shared_ptr<const std::string> text_;
  std::shared_ptr<const File> file_;
};

// Record after record with memory for a block (csv_blocks.h). The records are those of a CsvLexer over the whole text.
class RecordReader {
 public:
  // `text` must outlive it.
  RecordReader(const TableText& text, char separator, std::uint64_t begin = 0, std::size_t block = CsvBlocks::kBytes);
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;

  // The cells are good until the next call. False at the end, or at a malformed quote: then problem() is not empty.
  bool Next(std::vector<CsvCell>& cells);

  // The last record lies between these bytes, after blank lines and comments if there are any.
  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return end_; }
  int line() const { return lexer_.line(); }
  const std::string& problem() const { return lexer_.problem(); }
  int problem_line() const { return lexer_.problem_line(); }

 private:
  char separator_;
  std::uint64_t offset_, begin_, end_;
  CsvBlocks blocks_;
  CsvLexer lexer_;
};

}  // namespace instantgp

// A table in pieces, for tables that are larger than memory: whole records at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace instantgp {

class CsvBlocks {
 public:
  // Up to `size` further bytes of the table; fewer, or none, only at its end.
  using Source = std::function<std::size_t(char* into, std::size_t size)>;
  static constexpr std::size_t kBytes = std::size_t{8} << 20;

  // A file, or standard input as "-", unpacked where it is compressed. Error(kBadInput) naming the path and the reason.
  explicit CsvBlocks(const std::string& path, std::size_t bytes = kBytes);
  // Where a quote opens depends on the separator; without one it is found from the first block.
  explicit CsvBlocks(Source source, std::size_t bytes = kBytes, std::optional<char> separator = std::nullopt);

  // The next records; false when there are none. More than the block's bytes only for a longer record.
  bool Next();

  std::string_view text() const { return std::string_view(bytes_).substr(0, end_); }  // good until the next Next()
  std::uint64_t begin() const { return begin_; }                                      // of the block in the table
  int line() const { return line_; }  // its first line, from 1 on; stays at the largest int

 private:
  void Fill(std::size_t size);

  Source source_;
  std::size_t block_;
  std::optional<char> separator_;
  std::string bytes_;    // the block, and what is read beyond it
  std::size_t end_ = 0;  // of the block in them
  std::uint64_t begin_ = 0;
  int line_ = 1;
  bool ended_ = false;
};

// Later blocks of a table below its header, as tables of their own.
class BlockHeader {
 public:
  // From the first block, and what its reader has found.
  BlockHeader(std::string_view first_block, bool has_header);

  // The block below the header. With `lines` there are so many empty lines between that every record has the line it
  // has in the file: for messages.
  std::string Above(const CsvBlocks& block, bool lines = false) const;

 private:
  std::string text_;  // everything to the end of the first record; empty without a header
  int lines_ = 0;
};

}  // namespace instantgp

// A table in pieces, for tables that are larger than memory: whole records at a time, under the table's header.
#pragma once

#include <cstddef>
#include <string>

#include "instantgp/base/byte_source.h"

namespace instantgp {

// Reads a file, or standard input as "-", unpacked where it is compressed.
class CsvBlocks {
 public:
  explicit CsvBlocks(const std::string& path, std::size_t block_bytes = std::size_t{8} << 20);

  // The next records; false when there are none. From the second block on they stand below what came before and with
  // the table's first record, if that is its header. A block is larger than block_bytes only for a single longer
  // record.
  bool Next(std::string& text);
  // What the reader of the first block has found.
  void SetHasHeader(bool has_header) { has_header_ = has_header; }

  // The same block once more, with so many empty lines below the header that every record has the line number it has in
  // the file: for messages.
  std::string WithLinesOfTheFile(const std::string& text) const;

 private:
  void Fill();

  ByteSource source_;
  std::size_t block_bytes_;
  std::string rest_;    // read, not yet handed out
  std::string header_;  // of the first block: everything to the end of the first record
  bool has_header_ = true, ended_ = false, first_ = true;
  std::size_t lines_before_ = 0;  // of the current block, in the file
  std::size_t lines_of_block_ = 0, lines_of_header_ = 0;
};

}  // namespace instantgp

#include "instantgp/data/csv_blocks.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "instantgp/base/byte_source.h"
#include "instantgp/data/byte_scan.h"
#include "instantgp/data/csv_cut.h"
#include "instantgp/data/csv_lexer.h"
#include "instantgp/data/text_check.h"

namespace instantgp {
namespace {

// Ends of lines: LF, CRLF or CR.
std::size_t LinesIn(std::string_view text) {
  std::size_t lines = byte_scan::Count(text, '\n');
  for (std::size_t at = text.find('\r'); at != std::string_view::npos; at = text.find('\r', at + 1)) {
    lines += at + 1 == text.size() || text[at + 1] != '\n' ? 1 : 0;
  }
  return lines;
}

CsvBlocks::Source BytesOf(const std::string& path) {
  auto source = std::make_shared<ByteSource>(path);
  return [source](char* into, std::size_t size) { return source->Read(into, size); };
}

}  // namespace

CsvBlocks::CsvBlocks(const std::string& path, std::size_t bytes) : CsvBlocks(BytesOf(path), bytes) {}

CsvBlocks::CsvBlocks(Source source, std::size_t bytes, std::optional<char> separator)
    : source_(std::move(source)), block_(std::max<std::size_t>(bytes, 1)), separator_(separator) {}

void CsvBlocks::Fill(std::size_t size) {
  const std::size_t before = bytes_.size();
  bytes_.resize(before + size);
  const std::size_t got = source_(bytes_.data() + before, size);
  bytes_.resize(before + got);
  ended_ = got < size;
}

bool CsvBlocks::Next() {
  const auto lines = static_cast<std::int64_t>(LinesIn(text()));
  line_ = static_cast<int>(std::min<std::int64_t>(line_ + lines, std::numeric_limits<int>::max()));
  begin_ += end_;
  bytes_.erase(0, end_);
  end_ = 0;
  // A record that is longer than a block is looked at again each time; so each time twice as much is read.
  for (std::size_t size = block_; !ended_ && end_ == 0; size *= 2) {
    Fill(size);
    if (ended_) break;
    const char separator = separator_ ? *separator_ : DetectSeparator(WithoutByteOrderMark(bytes_));
    end_ = EndOfRecords(bytes_, separator);
    if (end_ > 0) separator_ = separator;
  }
  if (ended_ && end_ == 0) end_ = bytes_.size();
  return end_ > 0;
}

BlockHeader::BlockHeader(std::string_view first_block, bool has_header) {
  if (!has_header) return;
  const std::string_view text = WithoutByteOrderMark(first_block);
  CsvLexer lexer(text, DetectSeparator(text));
  std::vector<CsvCell> cells;
  if (!lexer.Next(cells)) return;
  // With the table's byte-order mark: the first name may begin with another.
  text_ = first_block.substr(0, first_block.size() - text.size() + lexer.position());
  lines_ = lexer.next_line() - 1;
}

std::string BlockHeader::Above(const CsvBlocks& block, bool lines) const {
  std::string text = text_;
  if (lines) text.append(static_cast<std::size_t>(std::max(0, block.line() - 1 - lines_)), '\n');
  return text.append(block.text());
}

}  // namespace instantgp

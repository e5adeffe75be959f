#include "instantgp/data/csv_blocks.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "instantgp/data/csv_lexer.h"
#include "instantgp/data/text_check.h"

namespace instantgp {
namespace {

std::size_t LinesIn(std::string_view text) {
  std::size_t lines = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool lone_return = text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n');
    lines += text[i] == '\n' || lone_return ? 1 : 0;
  }
  return lines;
}

// Where the last record that is certainly complete ends; 0: there is none. A line end at the very end may be half of a
// CRLF, so that it is taken with what follows. The separator does not matter for where records end but in a quote that
// follows one; ',' ';' and tab are alike in that.
std::size_t EndOfRecords(std::string_view text, char separator) {
  if (text.find('"') == std::string_view::npos) {
    const std::size_t end = text.find_last_of('\n');
    if (end != std::string_view::npos) return end + 1;
    const std::size_t lone = text.find_last_of('\r', text.size() - 2);
    return lone == std::string_view::npos ? 0 : lone + 1;
  }
  CsvLexer lexer(text, separator);
  std::vector<CsvCell> cells;
  std::size_t end = 0;
  while (lexer.Next(cells) && lexer.position() < text.size()) end = lexer.position();
  return end;
}

}  // namespace

CsvBlocks::CsvBlocks(const std::string& path, std::size_t block_bytes)
    : source_(path), block_bytes_(std::max<std::size_t>(block_bytes, 16)) {}

void CsvBlocks::Fill() {
  const std::size_t before = rest_.size();
  rest_.resize(before + block_bytes_);
  const std::size_t got = source_.Read(rest_.data() + before, block_bytes_);
  rest_.resize(before + got);
  ended_ = got < block_bytes_;
}

bool CsvBlocks::Next(std::string& text) {
  lines_before_ += lines_of_block_;
  lines_of_block_ = 0;
  std::size_t end = 0;
  while (!ended_ && end == 0) {
    Fill();
    if (!ended_ && rest_.size() > 1) end = EndOfRecords(rest_, DetectSeparator(first_ ? rest_ : header_ + rest_));
  }
  if (ended_) end = rest_.size();
  if (end == 0) return false;
  if (first_) {
    CsvLexer lexer(rest_, DetectSeparator(WithoutByteOrderMark(rest_)));
    std::vector<CsvCell> cells;
    if (lexer.Next(cells)) header_ = rest_.substr(0, lexer.position());
    lines_of_header_ = LinesIn(header_);
    text = rest_.substr(0, end);
  } else {
    text = has_header_ ? header_ : std::string();
    text.append(rest_, 0, end);
  }
  lines_of_block_ = LinesIn(std::string_view(rest_).substr(0, end));
  rest_.erase(0, end);
  first_ = false;
  return true;
}

std::string CsvBlocks::WithLinesOfTheFile(const std::string& text) const {
  if (lines_before_ == 0) return text;
  const std::size_t above = has_header_ ? header_.size() : 0;
  const std::size_t empty = lines_before_ - (has_header_ ? lines_of_header_ : 0);
  return text.substr(0, above) + std::string(empty, '\n') + text.substr(above);
}

}  // namespace instantgp

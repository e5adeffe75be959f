#include "instantgp/data/csv_piece.h"

#include <limits>

#include "instantgp/data/byte_scan.h"
#include "instantgp/data/csv_decimal.h"

namespace instantgp {

CsvPiece::CsvPiece(std::string_view text, const CsvLayout& layout, const ColumnRoom& room, std::size_t first,
                   std::size_t most)
    : at_(text.data()),
      end_(text.data() + text.size()),
      separator_(layout.separator),
      decimal_comma_(layout.decimal_comma),
      room_(room),
      row_(first),
      last_(first + most),
      columns_(layout.kept.size()),
      missing_(room.numbers.size(), 0),
      text_(room.numbers.size(), 0) {
  std::size_t numbers = 0, texts = 0;
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    if (!layout.kept[j]) continue;
    const bool as_text = !layout.as_text.empty() && layout.as_text[j];
    columns_[j] = as_text ? Column{Use::kText, texts++} : Column{Use::kNumber, numbers++};
  }
}

bool CsvPiece::Read() {
  while (at_ != end_) {
    if (!ReadPlain() && !ReadAny()) return false;
  }
  return true;
}

// The quote that closes the one at `at`; null where the cell goes on beyond its line, or holds quotes.
const char* CsvPiece::EndOfQuoted(const char* at) const {
  const char* const close = byte_scan::EndOfCell(at + 1, end_, '"');
  return close != end_ && *close == '"' && EndsCell(close + 1) ? close : nullptr;
}

// The cell at `at`, moved to its end. False where it is infinite, or more than a number in quotes.
bool CsvPiece::ReadNumber(const char*& at, Column& column) {
  double& value = room_.numbers[column.place][row_];
  if (at != end_ && *at == '"') {
    const char* const stopped = ReadDecimal(at + 1, end_, decimal_comma_, &value);
    if (stopped == nullptr || stopped == end_ || *stopped != '"' || !EndsCell(stopped + 1)) return false;
    at = stopped + 1;
    return true;
  }
  if (const char* const stopped = ReadDecimal(at, end_, decimal_comma_, &value);
      stopped != nullptr && EndsCell(stopped)) {
    at = stopped;
    return true;
  }
  const char* const begin = at;
  at = byte_scan::EndOfCell(at, end_, separator_);
  return Take(ReadCell({begin, static_cast<std::size_t>(at - begin)}, decimal_comma_), column);
}

bool CsvPiece::ReadText(const char*& at, const Column& column) {
  const char *begin = at, *stop = nullptr;
  if (at != end_ && *at == '"') {
    stop = EndOfQuoted(at);
    if (stop == nullptr) return false;
    ++begin;
    at = stop + 1;
  } else {
    stop = at = byte_scan::EndOfCell(at, end_, separator_);
    while (stop != begin && (stop[-1] == ' ' || stop[-1] == '\t')) --stop;
  }
  room_.texts[column.place][row_].assign(begin, static_cast<std::size_t>(stop - begin));
  return true;
}

// A cell that is not looked at. False where it is in quotes and not plainly so.
bool CsvPiece::PassOver(const char*& at) const {
  if (at == end_ || *at != '"') {
    at = byte_scan::EndOfCell(at, end_, separator_);
    return true;
  }
  const char* const close = EndOfQuoted(at);
  if (close != nullptr) at = close + 1;
  return close != nullptr;
}

bool CsvPiece::Take(const CellValue& cell, Column& column) {
  const std::size_t k = column.place;
  room_.numbers[k][row_] = cell.kind == CellKind::kNumber ? cell.value : std::numeric_limits<double>::quiet_NaN();
  if (cell.kind == CellKind::kMissing) missing_[k] = 1;
  if (cell.kind == CellKind::kText) {
    text_[k] = 1;
    column.use = Use::kPassOver;  // from here on its numbers are of no use
  }
  return cell.kind != CellKind::kInfinite;
}

// A row on one line of such cells. False where it is anything else.
bool CsvPiece::ReadPlain() {
  const char* at = at_;
  if (row_ == last_ || *at == ' ' || *at == '\t' || *at == '#' || *at == '\n' || *at == '\r') return false;
  for (Column *column = columns_.data(), *const behind = column + columns_.size();;) {
    while (at != end_ && (*at == ' ' || *at == '\t') && *at != separator_) ++at;
    const bool read = column->use == Use::kNumber ? ReadNumber(at, *column)
                      : column->use == Use::kText ? ReadText(at, *column)
                                                  : PassOver(at);
    if (!read) return false;
    if (++column == behind) break;
    if (at == end_ || *at != separator_) return false;
    ++at;
  }
  if (at != end_) {
    if (*at == separator_) return false;
    at += *at == '\r' && at + 1 != end_ && at[1] == '\n' ? 2 : 1;
  }
  at_ = at;
  room_.lines[row_++] = line_++;
  return true;
}

// The next record, whatever it is, with the lines before it that are none.
bool CsvPiece::ReadAny() {
  CsvLexer lexer({at_, static_cast<std::size_t>(end_ - at_)}, separator_, line_);
  const bool found = lexer.Next(cells_);
  if (!found && !lexer.problem().empty()) return false;
  at_ += lexer.position();
  line_ = lexer.next_line();
  if (!found) return true;
  if (cells_.size() != columns_.size() || row_ == last_) return false;
  for (std::size_t j = 0; j < cells_.size(); ++j) {
    Column& column = columns_[j];
    if (column.use == Use::kText) room_.texts[column.place][row_] = cells_[j].text();
    if (column.use == Use::kNumber && !Take(ReadCell(cells_[j].raw, decimal_comma_), column)) return false;
  }
  room_.lines[row_++] = lexer.line();
  return true;
}

}  // namespace instantgp

#include "instantgp/data/csv_columns.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "instantgp/base/large_pages.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/data/byte_scan.h"
#include "instantgp/data/csv_cut.h"
#include "instantgp/data/csv_decimal.h"
#include "instantgp/data/csv_lexer.h"
#include "instantgp/data/csv_number.h"

namespace instantgp {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;  // bytes; smaller texts are read on one thread
constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

// One piece of the text, read into its own part of the columns.
class PieceReader {
 public:
  // Rows go to into[k][first], into[k][first + 1], ...; there is room for `most` of them.
  PieceReader(std::string_view text, const CsvLayout& layout, const std::vector<double*>& into, int* lines,
              std::size_t first, std::size_t most)
      : at_(text.data()),
        end_(text.data() + text.size()),
        layout_(layout),
        into_(into),
        lines_(lines),
        row_(first),
        last_(first + most),
        missing_(into.size(), 0),
        text_(into.size(), 0) {}

  // False where the strict reader is needed. Lines are numbered from 0.
  bool Read() {
    while (at_ != end_) {
      if (!ReadPlain() && !ReadAny()) return false;
    }
    return true;
  }

  std::size_t row() const { return row_; }  // behind the last one
  int line() const { return line_; }        // likewise
  const std::vector<char>& missing() const { return missing_; }
  const std::vector<char>& text() const { return text_; }

 private:
  bool EndsCell(const char* at) const { return at == end_ || *at == layout_.separator || *at == '\n' || *at == '\r'; }

  void SkipBlanks(const char*& at) const {
    while (at != end_ && (*at == ' ' || *at == '\t') && *at != layout_.separator) ++at;
  }

  // The cell at `at`, moved to its end, into column k. False where it is infinite, or more than a number in quotes.
  bool ReadOne(const char*& at, std::size_t k) {
    double& value = into_[k][row_];
    if (const char* const stopped = ReadDecimal(at, end_, layout_.decimal_comma, &value);
        stopped != nullptr && EndsCell(stopped)) {
      at = stopped;
      return true;
    }
    if (at != end_ && *at == '"') {
      const char* const stopped = ReadDecimal(at + 1, end_, layout_.decimal_comma, &value);
      if (stopped == nullptr || stopped == end_ || *stopped != '"' || !EndsCell(stopped + 1)) return false;
      at = stopped + 1;
      return true;
    }
    const char* const begin = at;
    at = byte_scan::EndOfCell(at, end_, layout_.separator);
    return Take(ReadCell({begin, static_cast<std::size_t>(at - begin)}, layout_.decimal_comma), k);
  }

  // A cell that is not looked at. False where it is in quotes and not plainly so.
  bool PassOver(const char*& at) const {
    if (at != end_ && *at == '"') {
      while (++at != end_ && *at != '"') {
        if (*at == '\n' || *at == '\r') return false;
      }
      if (at == end_) return false;
      ++at;
      return EndsCell(at);
    }
    at = byte_scan::EndOfCell(at, end_, layout_.separator);
    return true;
  }

  bool Take(const CellValue& cell, std::size_t k) {
    into_[k][row_] = cell.kind == CellKind::kNumber ? cell.value : kGap;
    if (cell.kind == CellKind::kMissing) missing_[k] = 1;
    if (cell.kind == CellKind::kText) text_[k] = 1;
    return cell.kind != CellKind::kInfinite;
  }

  // A row on one line of such cells. False where it is anything else.
  bool ReadPlain() {
    const char* at = at_;
    if (row_ == last_ || *at == ' ' || *at == '\t' || *at == '#' || *at == '\n' || *at == '\r') return false;
    const std::size_t columns = layout_.kept.size();
    std::size_t k = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      SkipBlanks(at);
      const bool read = layout_.kept[j] && text_[k] == 0;
      if (!(read ? ReadOne(at, k) : PassOver(at))) return false;
      k += layout_.kept[j] ? 1 : 0;
      if (j + 1 == columns) break;
      if (at == end_ || *at != layout_.separator) return false;
      ++at;
    }
    if (at != end_) {
      if (*at == layout_.separator) return false;
      at += *at == '\r' && at + 1 != end_ && at[1] == '\n' ? 2 : 1;
    }
    at_ = at;
    lines_[row_++] = line_++;
    return true;
  }

  // The next record, whatever it is, with the lines before it that are none.
  bool ReadAny() {
    CsvLexer lexer({at_, static_cast<std::size_t>(end_ - at_)}, layout_.separator, line_);
    const bool found = lexer.Next(cells_);
    if (!found && !lexer.problem().empty()) return false;
    at_ += lexer.position();
    line_ = lexer.next_line();
    if (!found) return true;
    if (cells_.size() != layout_.kept.size() || row_ == last_) return false;
    std::size_t kept = 0;
    for (std::size_t j = 0; j < cells_.size(); ++j) {
      if (!layout_.kept[j]) continue;
      const std::size_t k = kept++;
      if (text_[k] == 0 && !Take(ReadCell(cells_[j].raw, layout_.decimal_comma), k)) return false;
    }
    lines_[row_++] = lexer.line();
    return true;
  }

  const char* at_;
  const char* end_;
  const CsvLayout& layout_;
  const std::vector<double*>& into_;
  int* lines_;
  std::size_t row_, last_;
  int line_ = 0;
  std::vector<char> missing_, text_;
  std::vector<CsvCell> cells_;
};

struct Piece {
  std::string_view text;
  std::size_t first = 0, most = 0, rows = 0;
  int lines = 0;
  bool readable = false;
  std::vector<char> missing, is_text;
};

std::vector<Piece> PiecesOf(std::string_view text, char separator) {
  std::vector<Piece> pieces;
  std::size_t begin = 0;
  for (const std::size_t end : CutAtRecords(text, separator, kPiece)) {
    pieces.emplace_back().text = text.substr(begin, end - begin);
    begin = end;
  }
  return pieces;
}

template <typename T>
void MakeRoom(std::size_t room, std::vector<T>& values) {
  values.reserve(room);
  AskForLargePages(values.data(), room * sizeof(T));
  values.resize(room);
}

// Rows of the pieces follow one another; where blank lines and comments left room between them, they move up.
template <typename T>
void CloseGaps(const std::vector<Piece>& pieces, std::vector<T>& values) {
  std::size_t to = 0;
  for (const Piece& piece : pieces) {
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(piece.first);
    if (to != piece.first) {
      std::copy(from, from + static_cast<std::ptrdiff_t>(piece.rows), values.begin() + static_cast<std::ptrdiff_t>(to));
    }
    to += piece.rows;
  }
  values.resize(to);
}

}  // namespace

std::optional<NumberColumns> ReadNumberColumns(std::string_view text, const CsvLayout& layout, int line, int threads) {
  std::vector<Piece> pieces = PiecesOf(text, layout.separator);
  const int count = static_cast<int>(pieces.size());
  ThreadPool pool(count > 1 ? std::min(count, ResolveThreads(threads)) : 1);
  pool.Run(count, [&](int k, int) { pieces[k].most = byte_scan::Count(pieces[k].text, '\n') + 1; });
  std::size_t room = 0;
  for (Piece& piece : pieces) {
    if (!piece.text.empty() && piece.text.back() == '\n') --piece.most;
    piece.first = room;
    room += piece.most;
  }
  if (room >= static_cast<std::size_t>(std::numeric_limits<int>::max() - line)) return std::nullopt;
  NumberColumns result;
  const auto kept = static_cast<std::size_t>(std::count(layout.kept.begin(), layout.kept.end(), true));
  result.columns.resize(kept);
  MakeRoom(room, result.line_of_row);
  std::vector<double*> into;
  for (std::vector<double>& column : result.columns) {
    MakeRoom(room, column);
    into.push_back(column.data());
  }
  pool.Run(count, [&](int k, int) {
    Piece& piece = pieces[k];
    PieceReader reader(piece.text, layout, into, result.line_of_row.data(), piece.first, piece.most);
    piece.readable = reader.Read();
    piece.rows = reader.row() - piece.first;
    piece.lines = reader.line();
    piece.missing = reader.missing();
    piece.is_text = reader.text();
  });
  result.missing.assign(kept, false);
  result.text.assign(kept, false);
  for (const Piece& piece : pieces) {
    if (!piece.readable) return std::nullopt;
    for (std::size_t row = piece.first; row < piece.first + piece.rows; ++row) result.line_of_row[row] += line;
    line += piece.lines;
    for (std::size_t k = 0; k < kept; ++k) {
      result.missing[k] = result.missing[k] || piece.missing[k] != 0;
      result.text[k] = result.text[k] || piece.is_text[k] != 0;
    }
  }
  CloseGaps(pieces, result.line_of_row);
  for (std::vector<double>& column : result.columns) CloseGaps(pieces, column);
  return result;
}

}  // namespace instantgp

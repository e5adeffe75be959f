#include "instantgp/data/csv_columns.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "instantgp/base/large_pages.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/data/byte_scan.h"
#include "instantgp/data/csv_cut.h"
#include "instantgp/data/csv_piece.h"

namespace instantgp {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;  // bytes; smaller texts are read on one thread

std::size_t KeptOf(const CsvLayout& layout) {
  return static_cast<std::size_t>(std::count(layout.kept.begin(), layout.kept.end(), true));
}

std::size_t TextsOf(const CsvLayout& layout) {
  std::size_t count = 0;
  for (std::size_t j = 0; j < layout.as_text.size(); ++j) count += layout.kept[j] && layout.as_text[j] ? 1 : 0;
  return count;
}

struct Piece {
  std::string_view text;
  std::size_t first = 0, most = 0, rows = 0;
  int lines = 0;
  bool readable = false;
  std::vector<char> missing, is_text;
};

std::vector<Piece> PiecesOf(std::string_view text, const std::vector<std::size_t>& ends) {
  std::vector<Piece> pieces;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
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
      std::move(from, from + static_cast<std::ptrdiff_t>(piece.rows), values.begin() + static_cast<std::ptrdiff_t>(to));
    }
    to += piece.rows;
  }
  values.resize(to);
}

std::optional<NumberColumns> ReadPieces(std::vector<Piece> pieces, const CsvLayout& layout, int line, int threads) {
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
  const std::size_t texts = TextsOf(layout), numbers = KeptOf(layout) - texts;
  result.columns.resize(numbers);
  result.texts.resize(texts);
  // The room is written to for the first time here, which takes a while: on all threads too.
  pool.Run(static_cast<int>(numbers + texts + 1), [&](int k, int) {
    const auto column = static_cast<std::size_t>(k);
    if (column < numbers) {
      MakeRoom(room, result.columns[column]);
    } else if (column < numbers + texts) {
      MakeRoom(room, result.texts[column - numbers]);
    } else {
      MakeRoom(room, result.line_of_row);
    }
  });
  ColumnRoom into;
  for (std::vector<double>& column : result.columns) into.numbers.push_back(column.data());
  for (std::vector<std::string>& column : result.texts) into.texts.push_back(column.data());
  into.lines = result.line_of_row.data();
  pool.Run(count, [&](int k, int) {
    Piece& piece = pieces[k];
    CsvPiece reader(piece.text, layout, into, piece.first, piece.most);
    piece.readable = reader.Read();
    piece.rows = reader.row() - piece.first;
    piece.lines = reader.line();
    piece.missing = reader.missing();
    piece.is_text = reader.text();
  });
  result.missing.assign(numbers, false);
  result.text.assign(numbers, false);
  for (const Piece& piece : pieces) {
    if (!piece.readable) return std::nullopt;
    for (std::size_t row = piece.first; row < piece.first + piece.rows; ++row) result.line_of_row[row] += line;
    line += piece.lines;
    for (std::size_t k = 0; k < numbers; ++k) {
      result.missing[k] = result.missing[k] || piece.missing[k] != 0;
      result.text[k] = result.text[k] || piece.is_text[k] != 0;
    }
  }
  CloseGaps(pieces, result.line_of_row);
  for (std::vector<double>& column : result.columns) CloseGaps(pieces, column);
  for (std::vector<std::string>& column : result.texts) CloseGaps(pieces, column);
  return result;
}

}  // namespace

std::optional<NumberColumns> ReadNumberColumns(std::string_view text, const CsvLayout& layout, int line, int threads) {
  // A guess at where records end is as good as knowing it: a piece that ended within a quote is not readable, and if
  // all are, each began where a record does, the first one to begin with.
  if (const std::vector<std::size_t> ends = CutAtEvenQuotes(text, kPiece); !ends.empty()) {
    if (auto read = ReadPieces(PiecesOf(text, ends), layout, line, threads)) return read;
    if (text.find('"') == std::string_view::npos) return std::nullopt;  // there was nothing to guess
  }
  return ReadPieces(PiecesOf(text, CutAtRecords(text, layout.separator, kPiece)), layout, line, threads);
}

}  // namespace instantgp

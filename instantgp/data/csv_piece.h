// A piece of a CSV text, whole records of it, read into its part of the columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "instantgp/data/csv_columns.h"
#include "instantgp/data/csv_lexer.h"
#include "instantgp/data/csv_number.h"

namespace instantgp {

// Where the columns of a table go: numbers[k][row] and texts[k][row] of the k-th column kept as the one or the other.
struct ColumnRoom {
  std::vector<double*> numbers;
  std::vector<std::string*> texts;
  int* lines = nullptr;
};

class CsvPiece {
 public:
  // Rows go to the places first, first + 1, ...; there is room for `most` of them.
  CsvPiece(std::string_view text, const CsvLayout& layout, const ColumnRoom& room, std::size_t first, std::size_t most);

  // False where the strict reader is needed, or where the text ends within a quote. Lines are numbered from 0.
  bool Read();

  std::size_t row() const { return row_; }  // behind the last one
  int line() const { return line_; }        // likewise
  const std::vector<char>& missing() const { return missing_; }
  const std::vector<char>& text() const { return text_; }

 private:
  enum class Use : char { kPassOver, kNumber, kText };
  struct Column {
    Use use = Use::kPassOver;
    std::size_t place = 0;  // among those of its use
  };

  bool ReadPlain();
  bool ReadAny();
  bool ReadNumber(const char*& at, Column& column);
  bool ReadText(const char*& at, const Column& column);
  bool PassOver(const char*& at) const;
  bool Take(const CellValue& cell, Column& column);
  bool EndsCell(const char* at) const { return at == end_ || *at == separator_ || *at == '\n' || *at == '\r'; }
  const char* EndOfQuoted(const char* at) const;

  const char* at_;
  const char* end_;
  const char separator_;
  const bool decimal_comma_;
  const ColumnRoom& room_;
  std::size_t row_, last_;
  int line_ = 0;
  std::vector<Column> columns_;
  std::vector<char> missing_, text_;
  std::vector<CsvCell> cells_;
};

}  // namespace instantgp

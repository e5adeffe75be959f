// The records of a CSV table below its header, with messages that say where: what every reader of tables shares.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "instantgp/base/error.h"
#include "instantgp/data/csv_columns.h"
#include "instantgp/data/csv_lexer.h"
#include "instantgp/data/csv_number.h"

namespace instantgp {

class CsvReader {
 public:
  enum class Header {
    kAnyText,   // the first record is a header where it holds a text
    kNotDates,  // the same, but dates above dates are data
  };

  // Takes the header, if there is one. The text must outlive the reader. Throws Error(kBadInput) for what is no text,
  // and for names that are empty or repeated.
  CsvReader(std::string_view text, const std::string& origin, Header header);

  // The next row; false at the end. Throws for a row of another length, and a malformed quote.
  bool Next(std::vector<CsvCell>& cells);
  int line() const { return line_; }  // of that row
  // All rows at once, and fast (csv_columns.h); `kept` says which columns, `as_text` which of them as texts. Next()
  // goes on as if nobody had asked, and comes to what is wrong where this is nullopt. Only before the first Next().
  std::optional<NumberColumns> Columns(const std::vector<bool>& kept, const std::vector<bool>& as_text = {}) const;
  // Of every column, whether one of its first cells is a text. Only before the first Next().
  std::vector<bool> FirstTexts() const;

  std::size_t columns() const { return columns_; }  // 0: the table is empty
  bool has_header() const { return has_header_; }
  const std::vector<std::string>& names() const { return names_; }  // x1, ..., y without a header
  bool decimal_comma() const { return decimal_comma_; }

  CellValue Read(const CsvCell& cell) const { return ReadCell(cell.raw, decimal_comma_); }

  [[noreturn]] void Fail(const std::string& what) const;
  [[noreturn]] void Fail(int line, const std::string& what) const;
  [[noreturn]] void FailCell(int line, std::size_t column, const std::string& what,
                             std::vector<Remedy> remedies = {}) const;
  // A cell that is missing, infinite or no number.
  [[noreturn]] void FailValue(const CsvCell& cell, CellKind kind, std::size_t column, int line) const;

 private:
  bool IsHeader(const std::vector<CsvCell>& first, Header header);
  void ReadNames(const std::vector<CsvCell>& cells);

  const std::string& origin_;
  std::string_view text_;
  char separator_;
  CsvLexer lexer_;
  bool decimal_comma_ = false;
  bool has_header_ = false;
  bool first_is_row_ = false;  // the first record is yet to be handed out
  std::size_t columns_ = 0;
  int first_line_ = 0;
  int line_ = 0;
  std::vector<CsvCell> first_;
  std::vector<std::string> names_;
};

// A cell as a message shows it: in quotes, one line, and not a page of it.
std::string ShownCell(std::string_view text);

}  // namespace instantgp

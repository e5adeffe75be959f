#include "instantgp/data/csv_reader.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

#include "instantgp/base/diagnosis.h"
#include "instantgp/data/date_column.h"
#include "instantgp/data/text_check.h"

namespace instantgp {

namespace {

std::vector<Remedy> DropRows() { return {{"missing", "drop"}}; }

bool IsDate(const std::string& cell) {
  const std::array<std::string_view, 1> one = {cell};
  const DateVerdict verdict = ReadDates(one).verdict;
  return verdict == DateVerdict::kDates || verdict == DateVerdict::kAmbiguous;
}

std::string_view Checked(std::string_view text, const std::string& origin) {
  text = WithoutByteOrderMark(text);
  if (const TextProblem problem = CheckText(text); problem.line > 0) {
    throw Error(ErrorCode::kBadInput, origin + ", line " + std::to_string(problem.line) + ": " + problem.what +
                                          "; save the table as plain UTF-8 text");
  }
  return text;
}

}  // namespace

std::string ShownCell(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  const std::string line = OneLine(text.substr(0, kLongest));
  return "'" + line + (text.size() > kLongest ? "...'" : "'");
}

CsvReader::CsvReader(std::string_view text, const std::string& origin, Header header)
    : origin_(origin),
      text_(Checked(text, origin)),
      separator_(DetectSeparator(text_)),
      lexer_(text_, separator_),
      decimal_comma_(separator_ == ';') {
  if (!lexer_.Next(first_)) {
    if (!lexer_.problem().empty()) {
      Fail(lexer_.problem_line(), lexer_.problem() + "; write a quote inside a quoted cell as \"\"");
    }
    return;
  }
  columns_ = first_.size();
  first_line_ = lexer_.line();
  has_header_ = IsHeader(first_, header);
  if (has_header_) {
    ReadNames(first_);
  } else {
    for (std::size_t j = 1; j < columns_; ++j) names_.push_back("x" + std::to_string(j));
    names_.emplace_back("y");
    first_is_row_ = true;
  }
}

bool CsvReader::IsHeader(const std::vector<CsvCell>& first, Header header) {
  bool any_text = false;
  for (const CsvCell& cell : first) any_text = any_text || Read(cell).kind == CellKind::kText;
  if (!any_text || header == Header::kAnyText) return any_text;
  CsvLexer look = lexer_;
  std::vector<CsvCell> second;  // none: a single row of dates and numbers
  if (!look.Next(second)) second = first;
  for (std::size_t j = 0; j < first.size(); ++j) {
    if (Read(first[j]).kind != CellKind::kText) continue;
    if (second.size() != first.size() || !IsDate(first[j].text()) || !IsDate(second[j].text())) return true;
  }
  return false;
}

void CsvReader::ReadNames(const std::vector<CsvCell>& cells) {
  std::set<std::string> seen;
  for (const CsvCell& cell : cells) {
    std::string name = cell.text();
    const std::string place = "column " + std::to_string(names_.size() + 1);
    if (name.empty()) Fail(first_line_, place + " of the header has no name; name it, or remove the column");
    if (!seen.insert(name).second) {
      Fail(first_line_,
           place + " of the header repeats the name " + ShownCell(name) + "; give every column its own name");
    }
    names_.push_back(std::move(name));
  }
}

std::vector<bool> CsvReader::FirstTexts() const {
  constexpr int kRows = 100;
  std::vector<bool> texts(columns_, false);
  const auto look_at = [&](const std::vector<CsvCell>& cells) {
    for (std::size_t j = 0; j < std::min(columns_, cells.size()); ++j) {
      if (!texts[j] && Read(cells[j]).kind == CellKind::kText) texts[j] = true;
    }
  };
  if (first_is_row_) look_at(first_);
  CsvLexer ahead = lexer_;
  std::vector<CsvCell> cells;
  for (int row = 0; row < kRows && ahead.Next(cells); ++row) look_at(cells);
  return texts;
}

std::optional<NumberColumns> CsvReader::Columns(const std::vector<bool>& kept, const std::vector<bool>& as_text) const {
  if (columns_ == 0 || kept.size() != columns_) return std::nullopt;
  const std::string_view rows = has_header_ ? text_.substr(lexer_.position()) : text_;
  return ReadNumberColumns(rows, {separator_, decimal_comma_, kept, as_text}, has_header_ ? lexer_.next_line() : 1);
}

bool CsvReader::Next(std::vector<CsvCell>& cells) {
  if (first_is_row_) {
    first_is_row_ = false;
    cells = first_;
    line_ = first_line_;
    return true;
  }
  if (columns_ == 0) return false;
  if (!lexer_.Next(cells)) {
    if (lexer_.problem().empty()) return false;
    Fail(lexer_.problem_line(), lexer_.problem() + "; write a quote inside a quoted cell as \"\"");
  }
  line_ = lexer_.line();
  if (cells.size() != columns_) {
    Fail(line_, "there are " + std::to_string(cells.size()) + " cells where line " + std::to_string(first_line_) +
                    " has " + std::to_string(columns_) + "; add or remove cells so that all rows match");
  }
  if (line_ == std::numeric_limits<int>::max()) {
    throw Error(ErrorCode::kLimit, origin_ + ": the table has more than 2147483646 lines; use part of it");
  }
  return true;
}

void CsvReader::Fail(const std::string& what) const { throw Error(ErrorCode::kBadInput, origin_ + ": " + what); }

void CsvReader::Fail(int line, const std::string& what) const {
  throw Error(ErrorCode::kBadInput, origin_ + ", line " + std::to_string(line) + ": " + what);
}

void CsvReader::FailCell(int line, std::size_t column, const std::string& what, std::vector<Remedy> remedies) const {
  const std::string shown = has_header_ ? ShownCell(names_[column]) : std::to_string(column + 1);
  throw Error(ErrorCode::kBadInput, origin_ + ", line " + std::to_string(line) + ", column " + shown + ": " + what,
              std::move(remedies));
}

void CsvReader::FailValue(const CsvCell& cell, CellKind kind, std::size_t column, int line) const {
  const std::string text = cell.text();
  if (kind == CellKind::kMissing) {
    FailCell(line, column,
             "the value is missing (" + ShownCell(text) + "); fill it in, or drop rows with missing values",
             DropRows());
  }
  if (kind == CellKind::kInfinite) {
    FailCell(
        line, column,
        ShownCell(text) + " is infinite or too large; correct it, or empty the cell and drop rows with missing values",
        DropRows());
  }
  std::string hint = "; correct it, or empty the cell and drop rows with missing values";
  std::vector<Remedy> remedies = DropRows();
  if (columns_ == 1 && text.find_first_of(" \t|") != std::string::npos) {
    hint = "; columns are separated by a comma, a semicolon or a tab";
    remedies.clear();
  } else if (text.find(',') != std::string::npos) {
    hint = decimal_comma_ ? "; write numbers without thousands separators"
                          : "; a decimal comma is understood only where semicolons separate the columns";
    remedies.clear();
  }
  FailCell(line, column, ShownCell(text) + " is not a number" + hint, remedies);
}

}  // namespace instantgp

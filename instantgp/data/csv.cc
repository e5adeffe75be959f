#include "instantgp/data/csv.h"

#include <limits>
#include <set>
#include <utility>

#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/data/csv_lexer.h"
#include "instantgp/data/csv_number.h"
#include "instantgp/data/text_check.h"

namespace instantgp {

namespace {

std::vector<Remedy> DropRows() { return {{"missing", "drop"}}; }

// A cell as a message shows it: one line, and not a page of it.
std::string Shown(const std::string& text) {
  constexpr std::size_t kLongest = 60;
  std::string line = OneLine(text.size() > kLongest ? std::string_view(text).substr(0, kLongest) : text);
  return "'" + line + (text.size() > kLongest ? "...'" : "'");
}

class TableParser {
 public:
  TableParser(std::string_view text, const std::string& origin, MissingPolicy missing, const ColumnSelection& selection)
      : origin_(origin), missing_(missing), selection_(selection), text_(WithoutByteOrderMark(text)) {}

  Table Parse() {
    if (const TextProblem problem = CheckText(text_); problem.line > 0) {
      Fail(problem.line, problem.what + "; save the table as plain UTF-8 text");
    }
    const char separator = DetectSeparator(text_);
    decimal_comma_ = separator == ';';
    CsvLexer lexer(text_, separator);
    std::vector<CsvCell> cells;
    if (lexer.Next(cells)) {
      columns_ = cells.size();
      first_line_ = lexer.line();
      table_.has_header = IsHeader(cells);
      if (table_.has_header) {
        ReadNames(cells, lexer.line());
        SelectColumns();
      } else {
        MakeNames();
        kept_.assign(columns_, true);
        ReadRow(cells, lexer.line());
      }
      while (lexer.Next(cells)) ReadRow(cells, lexer.line());
    }
    if (!lexer.problem().empty()) {
      Fail(lexer.problem_line(), lexer.problem() + "; write a quote inside a quoted cell as \"\"");
    }
    Finish();
    return std::move(table_);
  }

 private:
  [[noreturn]] void Fail(const std::string& what) const { throw Error(ErrorCode::kBadInput, origin_ + ": " + what); }
  [[noreturn]] void Fail(int line, const std::string& what) const {
    throw Error(ErrorCode::kBadInput, origin_ + ", line " + std::to_string(line) + ": " + what);
  }
  [[noreturn]] void FailCell(int line, std::size_t column, const std::string& what,
                             std::vector<Remedy> remedies = {}) const {
    const std::string shown = table_.has_header ? Shown(table_.all_names[column]) : std::to_string(column + 1);
    throw Error(ErrorCode::kBadInput, origin_ + ", line " + std::to_string(line) + ", column " + shown + ": " + what,
                std::move(remedies));
  }

  CellValue Read(const CsvCell& cell) const { return ReadCell(cell.raw, decimal_comma_); }

  bool IsHeader(const std::vector<CsvCell>& cells) const {
    for (const CsvCell& cell : cells) {
      if (Read(cell).kind == CellKind::kText) return true;
    }
    return false;
  }

  void ReadNames(const std::vector<CsvCell>& cells, int line) {
    std::set<std::string> seen;
    for (const CsvCell& cell : cells) {
      std::string name = cell.text();
      const std::string place = "column " + std::to_string(table_.all_names.size() + 1);
      if (name.empty()) Fail(line, place + " of the header has no name; name it, or remove the column");
      if (!seen.insert(name).second) {
        Fail(line, place + " of the header repeats the name " + Shown(name) + "; give every column its own name");
      }
      table_.all_names.push_back(std::move(name));
    }
  }

  void SelectColumns() {
    const std::set<std::string> wanted(selection_.wanted.begin(), selection_.wanted.end());
    for (const std::string& name : table_.all_names) {
      kept_.push_back(wanted.empty() || wanted.contains(name));
      if (kept_.back()) table_.names.push_back(name);
    }
  }

  void MakeNames() {
    for (std::size_t j = 1; j < columns_; ++j) table_.names.push_back("x" + std::to_string(j));
    table_.names.push_back("y");
    table_.all_names = table_.names;
  }

  void ReadRow(const std::vector<CsvCell>& cells, int line) {
    if (cells.size() != columns_) {
      Fail(line, "there are " + std::to_string(cells.size()) + " cells where line " + std::to_string(first_line_) +
                     " has " + std::to_string(columns_) + "; add or remove cells so that all rows match");
    }
    if (line == std::numeric_limits<int>::max()) {
      throw Error(ErrorCode::kLimit, origin_ + ": the table has more than 2147483646 lines; use part of it");
    }
    const std::size_t kept = values_.size();
    for (std::size_t j = 0; j < columns_; ++j) {
      if (!kept_[j]) continue;
      const CellValue cell = Read(cells[j]);
      if (cell.kind == CellKind::kMissing && MayLack(j)) {
        values_.push_back(std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      if (cell.kind == CellKind::kMissing && missing_ == MissingPolicy::kDrop) {
        values_.resize(kept);
        ++table_.dropped_rows;
        CheckRest(cells, j + 1, line);
        return;
      }
      if (cell.kind != CellKind::kNumber) FailValue(cells[j], cell.kind, j, line);
      values_.push_back(cell.value);
    }
    table_.line_of_row.push_back(line);
  }

  bool MayLack(std::size_t column) const {
    return table_.has_header && !selection_.may_lack.empty() && table_.all_names[column] == selection_.may_lack;
  }

  // A row that is dropped for a missing value must still be well formed.
  void CheckRest(const std::vector<CsvCell>& cells, std::size_t from, int line) const {
    for (std::size_t j = from; j < columns_; ++j) {
      if (!kept_[j]) continue;
      const CellKind kind = Read(cells[j]).kind;
      if (kind == CellKind::kText || kind == CellKind::kInfinite) FailValue(cells[j], kind, j, line);
    }
  }

  [[noreturn]] void FailValue(const CsvCell& cell, CellKind kind, std::size_t column, int line) const {
    const std::string text = cell.text();
    if (kind == CellKind::kMissing) {
      FailCell(line, column, "the value is missing (" + Shown(text) + "); fill it in, or drop rows with missing values",
               DropRows());
    }
    if (kind == CellKind::kInfinite) {
      FailCell(
          line, column,
          Shown(text) + " is infinite or too large; correct it, or empty the cell and drop rows with missing values",
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
    FailCell(line, column, Shown(text) + " is not a number" + hint, remedies);
  }

  void Finish() {
    if (columns_ == 0) Fail("the table is empty; it needs at least one row of numbers");
    const std::size_t rows = table_.line_of_row.size();
    if (rows == 0 && table_.dropped_rows > 0) {
      Fail("every row has a missing value, so none is left; fill values in or remove the column that lacks them");
    }
    if (rows == 0) Fail("the table has a header but no rows; it needs at least one row of numbers");
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    table_.values =
        Eigen::Map<const RowMajor>(values_.data(), static_cast<Index>(rows), static_cast<Index>(table_.names.size()));
  }

  const std::string& origin_;
  MissingPolicy missing_;
  const ColumnSelection& selection_;
  std::string_view text_;
  bool decimal_comma_ = false;
  std::size_t columns_ = 0;
  std::vector<bool> kept_;  // of every column of the file
  int first_line_ = 0;
  std::vector<double> values_;  // row after row
  Table table_;
};

}  // namespace

Table ParseTable(std::string_view text, const std::string& origin, MissingPolicy missing,
                 const ColumnSelection& selection) {
  return TableParser(text, origin, missing, selection).Parse();
}

Table ReadTable(const std::string& path, MissingPolicy missing, const ColumnSelection& selection) {
  return ParseTable(ReadFile(path), path == "-" ? "standard input" : path, missing, selection);
}

Dataset ReadCsv(const std::string& path, const CsvOptions& options) {
  const std::string origin = path == "-" ? "standard input" : path;
  const Table table = ReadTable(path, options.missing);
  try {
    return ToDataset(table, options.target);
  } catch (const Error& error) {
    throw Error(error.code(), origin + ": " + error.what());
  }
}

}  // namespace instantgp

#include "instantgp/data/csv.h"

#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "instantgp/base/byte_source.h"
#include "instantgp/base/error.h"
#include "instantgp/data/csv_reader.h"
#include "instantgp/data/labelled_table.h"

namespace instantgp {

namespace {

class TableParser {
 public:
  TableParser(std::string_view text, const std::string& origin, MissingPolicy missing, const ColumnSelection& selection)
      : reader_(text, origin, CsvReader::Header::kAnyText), missing_(missing), selection_(selection) {}

  Table Parse() {
    table_.has_header = reader_.has_header();
    table_.all_names = reader_.names();
    SelectColumns();
    if (TakeColumns()) return std::move(table_);
    for (std::vector<CsvCell> cells; reader_.Next(cells);) ReadRow(cells, reader_.line());
    Finish();
    return std::move(table_);
  }

 private:
  void SelectColumns() {
    const std::set<std::string> wanted(selection_.wanted.begin(), selection_.wanted.end());
    for (const std::string& name : table_.all_names) {
      kept_.push_back(!table_.has_header || wanted.empty() || wanted.contains(name));
      if (kept_.back()) table_.names.push_back(name);
    }
  }

  // All rows at once, if all of them are to be had: nothing is missing where it must not be.
  bool TakeColumns() {
    if (table_.names.empty()) return false;
    std::optional<NumberColumns> read = reader_.Columns(kept_);
    if (!read || read->line_of_row.empty()) return false;
    for (std::size_t k = 0; k < read->columns.size(); ++k) {
      const bool may_lack = table_.has_header && !selection_.may_lack.empty() && table_.names[k] == selection_.may_lack;
      if (read->text[k] || (read->missing[k] && !may_lack)) return false;
    }
    const auto rows = static_cast<Index>(read->line_of_row.size());
    table_.values.resize(rows, static_cast<Index>(read->columns.size()));
    for (std::size_t k = 0; k < read->columns.size(); ++k) {
      table_.values.col(static_cast<Index>(k)) = Eigen::Map<const Vector>(read->columns[k].data(), rows);
      read->columns[k] = {};
    }
    table_.line_of_row = std::move(read->line_of_row);
    return true;
  }

  void ReadRow(const std::vector<CsvCell>& cells, int line) {
    const std::size_t kept = values_.size();
    for (std::size_t j = 0; j < cells.size(); ++j) {
      if (!kept_[j]) continue;
      const CellValue cell = reader_.Read(cells[j]);
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
      if (cell.kind != CellKind::kNumber) reader_.FailValue(cells[j], cell.kind, j, line);
      values_.push_back(cell.value);
    }
    table_.line_of_row.push_back(line);
  }

  bool MayLack(std::size_t column) const {
    return table_.has_header && !selection_.may_lack.empty() && table_.all_names[column] == selection_.may_lack;
  }

  // A row that is dropped for a missing value must still be well formed.
  void CheckRest(const std::vector<CsvCell>& cells, std::size_t from, int line) const {
    for (std::size_t j = from; j < cells.size(); ++j) {
      if (!kept_[j]) continue;
      const CellKind kind = reader_.Read(cells[j]).kind;
      if (kind == CellKind::kText || kind == CellKind::kInfinite) reader_.FailValue(cells[j], kind, j, line);
    }
  }

  void Finish() {
    if (reader_.columns() == 0) reader_.Fail("the table is empty; it needs at least one row of numbers");
    const std::size_t rows = table_.line_of_row.size();
    if (rows == 0 && table_.dropped_rows > 0) {
      reader_.Fail(
          "every row has a missing value, so none is left; fill values in or remove the column that lacks them");
    }
    if (rows == 0) reader_.Fail("the table has a header but no rows; it needs at least one row of numbers");
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    table_.values =
        Eigen::Map<const RowMajor>(values_.data(), static_cast<Index>(rows), static_cast<Index>(table_.names.size()));
  }

  CsvReader reader_;
  MissingPolicy missing_;
  const ColumnSelection& selection_;
  std::vector<bool> kept_;      // of every column of the file
  std::vector<double> values_;  // row after row
  Table table_;
};

}  // namespace

Table ParseTable(std::string_view text, const std::string& origin, MissingPolicy missing,
                 const ColumnSelection& selection) {
  return TableParser(text, origin, missing, selection).Parse();
}

Table ReadTable(const std::string& path, MissingPolicy missing, const ColumnSelection& selection) {
  return ParseTable(ReadText(path), path == "-" ? "standard input" : path, missing, selection);
}

Dataset ReadCsv(const std::string& path, const CsvOptions& options) {
  const LabelledTable table = ReadLabelledTable(path, options);
  if (!table.open.empty() && options.missing == MissingPolicy::kError) table.FailOpen();
  return table.Learn(table.known);
}

}  // namespace instantgp

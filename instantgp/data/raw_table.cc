#include "instantgp/data/raw_table.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "instantgp/base/byte_source.h"
#include "instantgp/base/error.h"
#include "instantgp/data/csv_reader.h"

namespace instantgp {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// An infinite cell, which is an error only where the column turns out to be numbers.
struct Infinite {
  CsvCell cell;
  int line = 0;
};

class RawParser {
 public:
  RawParser(std::string_view text, const std::string& origin, const RawOptions& options)
      : text_(text), origin_(origin), options_(options) {}

  RawTable Parse() {
    CsvReader reader(text_, origin_, CsvReader::Header::kNotDates);
    if (reader.columns() == 0) reader.Fail("the table is empty; it needs at least one row");
    table_.all_names = reader.names();
    table_.has_header = reader.has_header();
    table_.decimal_comma = reader.decimal_comma();
    table_.origin = origin_;
    Select(reader);
    if (!TakeColumns(reader)) {
      ReadRows(reader);
      if (std::find(is_text_.begin(), is_text_.end(), true) != is_text_.end()) ReadTexts();
    }
    return std::move(table_);
  }

 private:
  // Row after row, up to the one that something is wrong with.
  void ReadRows(CsvReader& reader) {
    std::vector<RawColumn::Numbers> numbers(reader.columns());
    std::vector<std::optional<Infinite>> infinite(reader.columns());
    for (std::vector<CsvCell> cells; reader.Next(cells);) {
      table_.line_of_row.push_back(reader.line());
      for (std::size_t j = 0; j < cells.size(); ++j) {
        if (!kept_[j] || is_text_[j]) continue;
        const CellValue cell = reader.Read(cells[j]);
        if (cell.kind == CellKind::kText) is_text_[j] = true;
        if (cell.kind == CellKind::kInfinite && !infinite[j]) infinite[j] = {cells[j], reader.line()};
        numbers[j].push_back(cell.kind == CellKind::kNumber ? cell.value : kNaN);
      }
    }
    if (table_.line_of_row.empty()) reader.Fail("the table has a header but no rows; it needs at least one row");
    for (std::size_t j = 0; j < numbers.size(); ++j) {
      if (!kept_[j]) continue;
      if (!is_text_[j] && infinite[j]) {
        reader.FailValue(infinite[j]->cell, CellKind::kInfinite, j, infinite[j]->line);
      }
      RawColumn column{table_.all_names[j], {}};
      if (is_text_[j]) {
        column.cells = RawColumn::Texts();
      } else {
        column.cells = std::move(numbers[j]);
      }
      table_.columns.push_back(std::move(column));
    }
  }

  // All rows at once where every number is finite. Columns that begin with texts are read as such; where a text turns
  // up later, the cells of its column are read in a second pass.
  bool TakeColumns(CsvReader& reader) {
    std::vector<bool> as_text = reader.FirstTexts();
    for (std::size_t j = 0; j < kept_.size(); ++j) as_text[j] = kept_[j] && (as_text[j] || is_text_[j]);
    std::optional<NumberColumns> read = reader.Columns(kept_, as_text);
    if (!read || read->line_of_row.empty()) return false;
    std::vector<bool> late(kept_.size(), false);
    std::size_t number = 0;
    for (std::size_t j = 0; j < kept_.size(); ++j) {
      if (kept_[j] && !as_text[j]) late[j] = read->text[number++];
    }
    std::optional<NumberColumns> again;
    if (std::find(late.begin(), late.end(), true) != late.end()) {
      again = reader.Columns(late, late);
      if (!again) return false;
    }
    number = 0;
    std::size_t text = 0, late_text = 0;
    for (std::size_t j = 0; j < kept_.size(); ++j) {
      if (!kept_[j]) continue;
      RawColumn column{table_.all_names[j], {}};
      if (as_text[j]) {
        column.cells = std::move(read->texts[text++]);
      } else if (late[j]) {
        column.cells = std::move(again->texts[late_text++]);
        ++number;
      } else {
        column.cells = std::move(read->columns[number++]);
      }
      table_.columns.push_back(std::move(column));
    }
    table_.line_of_row = std::move(read->line_of_row);
    return true;
  }

  void Select(const CsvReader& reader) {
    const std::set<std::string> wanted(options_.wanted.begin(), options_.wanted.end());
    is_text_.assign(reader.columns(), false);
    for (const std::string& name : table_.all_names) {
      kept_.push_back(!table_.has_header || wanted.empty() || wanted.contains(name));
    }
    for (const std::string& name : options_.as_text) {
      const int found = LookUp(table_.all_names, name);
      if (found >= 0) is_text_[static_cast<std::size_t>(found)] = kept_[static_cast<std::size_t>(found)];
    }
  }

  void ReadTexts() {
    CsvReader reader(text_, origin_, CsvReader::Header::kNotDates);
    std::vector<RawColumn::Texts*> into(reader.columns(), nullptr);
    std::size_t column = 0;
    for (std::size_t j = 0; j < into.size(); ++j) {
      if (kept_[j]) into[j] = std::get_if<RawColumn::Texts>(&table_.columns[column++].cells);
    }
    for (std::vector<CsvCell> cells; reader.Next(cells);) {
      for (std::size_t j = 0; j < cells.size(); ++j) {
        if (into[j] != nullptr) into[j]->push_back(cells[j].text());
      }
    }
  }

  std::string_view text_;
  const std::string& origin_;
  const RawOptions& options_;
  std::vector<bool> kept_, is_text_;  // of every column of the file
  RawTable table_;
};

}  // namespace

int RawColumn::rows() const {
  return std::visit([](const auto& values) { return static_cast<int>(values.size()); }, cells);
}

std::string RawTable::Place(int row, const std::string& column) const {
  const std::string place = origin.empty()
                                ? "row " + std::to_string(row + 1)
                                : origin + ", line " + std::to_string(line_of_row[static_cast<std::size_t>(row)]);
  return place + ", column " + ShownCell(column);
}

int RawTable::ColumnIndex(const std::string& name_or_number) const {
  std::vector<std::string> names;
  for (const RawColumn& column : columns) names.push_back(column.name);
  return FindNamed(names, name_or_number);
}

RawTable ParseRawTable(std::string_view text, const std::string& origin, const RawOptions& options) {
  return RawParser(text, origin, options).Parse();
}

RawTable ReadRawTable(const std::string& path, const RawOptions& options) {
  return ParseRawTable(ReadText(path), path == "-" ? "standard input" : path, options);
}

}  // namespace instantgp

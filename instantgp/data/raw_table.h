// A table before anybody has said what its columns are: numbers where every cell is one, texts elsewhere.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "instantgp/base/export.h"
#include "instantgp/data/date.h"

namespace instantgp {

struct INSTANTGP_EXPORT RawColumn {
  using Numbers = std::vector<double>;     // NaN: missing
  using Texts = std::vector<std::string>;  // empty or a mark of csv_number.h: missing
  using Dates = std::vector<Moment>;

  std::string name;
  std::variant<Numbers, Texts, Dates> cells;

  int rows() const;
};

struct INSTANTGP_EXPORT RawTable {
  std::vector<RawColumn> columns;
  std::vector<std::string> all_names;  // of all columns of the file, read or not
  bool has_header = false;
  bool decimal_comma = false;
  std::string origin;            // for messages; empty for a table that is no file
  std::vector<int> line_of_row;  // of a file, 1-based

  int rows() const { return columns.empty() ? 0 : columns.front().rows(); }
  // "t.csv, line 3, column 'city'", or "row 2, column 'city'" of a table that is no file.
  std::string Place(int row, const std::string& column) const;
  // "t.csv: ", or nothing.
  std::string Prefix() const { return origin.empty() ? "" : origin + ": "; }
  // By name or 1-based number; Error(kBadInput) lists the columns and the nearest name.
  int ColumnIndex(const std::string& name_or_number) const;
};

struct INSTANTGP_EXPORT RawOptions {
  std::vector<std::string> wanted;   // columns of a table with a header; empty: all. Names it lacks are left out.
  std::vector<std::string> as_text;  // columns, by name or 1-based number, that are texts even if all cells are numbers
};

// Missing cells are kept. Throws Error(kBadInput) for what makes a table unreadable (csv.h) and for infinite numbers.
// The first record is a header where it holds a text; a date above another is no header.
INSTANTGP_EXPORT RawTable ParseRawTable(std::string_view text, const std::string& origin,
                                        const RawOptions& options = {});
INSTANTGP_EXPORT RawTable ReadRawTable(const std::string& path, const RawOptions& options = {});

// A column by name or 1-based number; -1: there is none.
int LookUp(const std::vector<std::string>& names, const std::string& name_or_number);
// The same; Error(kBadInput) lists the columns and the nearest name.
int FindNamed(const std::vector<std::string>& names, const std::string& name_or_number);

}  // namespace instantgp

// CSV in: RFC 4180 quoting; separator ',' ';' or tab; decimal comma with ';'; BOM; CRLF; '#' comment lines; "-" is
// stdin.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "instantgp/base/export.h"
#include "instantgp/data/dataset.h"

namespace instantgp {

// What becomes of a row with a missing input: an error, nothing, or a row with the median in its place (recipe.h).
enum class MissingPolicy { kError, kDrop, kImpute };
// Levels of a category that the training rows lack: an error, or "other". Where that is no level of the training rows
// it is a row that has none of them.
enum class UnseenPolicy { kError, kOther };

struct INSTANTGP_EXPORT CsvOptions {
  std::string target = {};  // name or 1-based index of the target column; empty: the last column
  MissingPolicy missing = MissingPolicy::kError;
  std::vector<std::string> categorical = {};   // as in RecipeOptions (recipe.h)
  std::vector<std::string> date_formats = {};  // likewise
};

// Which columns of a table with a header are read; cells of the others may hold anything. A table without a header is
// read whole.
struct INSTANTGP_EXPORT ColumnSelection {
  std::vector<std::string> wanted;  // empty: all. Names the header lacks are left out.
  std::string may_lack;             // missing cells of this column stay NaN and drop no row
};

// All cells as numbers. Without a header the names are x1..x(m-1), y.
struct INSTANTGP_EXPORT Table {
  std::vector<std::string> names;      // m
  std::vector<std::string> all_names;  // of all columns of the file, selected or not
  bool has_header = false;
  Matrix values;                 // (n, m); a missing cell is NaN where the selection allows it
  std::vector<int> line_of_row;  // 1-based line in the file, for messages
  int dropped_rows = 0;

  // Index of a column by name or 1-based number; throws Error(kBadInput) listing the columns and the nearest name.
  int ColumnIndex(const std::string& name_or_index) const;
};

// Throws Error(kBadInput) saying file, line, column and cell for: an empty file, ragged rows, a cell that is not a
// number, a missing value under kError, infinite values, duplicate or empty header names, unterminated quotes, bytes
// that are not text.
INSTANTGP_EXPORT Table ParseTable(std::string_view text, const std::string& origin,
                                  MissingPolicy missing = MissingPolicy::kError, const ColumnSelection& selection = {});
INSTANTGP_EXPORT Table ReadTable(const std::string& path, MissingPolicy missing = MissingPolicy::kError,
                                 const ColumnSelection& selection = {});

INSTANTGP_EXPORT Dataset ToDataset(const Table& table, const std::string& target = "");
// With dates, categories and gaps where the table has some (recipe.h). A row without a target is an error, and left out
// where rows are dropped or imputed.
INSTANTGP_EXPORT Dataset ReadCsv(const std::string& path, const CsvOptions& options = {});

// A header line and rows with all 17 significant digits ("%.17g"); names are quoted when needed.
INSTANTGP_EXPORT std::string FormatCsv(const std::vector<std::string>& names, const Matrix& values);

}  // namespace instantgp

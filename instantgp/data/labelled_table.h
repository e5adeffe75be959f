// A table with a target among its columns: which rows can be learnt from, and which are to be predicted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "instantgp/base/export.h"
#include "instantgp/base/matrix.h"
#include "instantgp/data/csv.h"
#include "instantgp/data/dataset.h"
#include "instantgp/data/raw_table.h"
#include "instantgp/data/recipe.h"

namespace instantgp {

struct INSTANTGP_EXPORT LabelledTable {
  RawTable table;
  int target = 0;           // column of the table
  std::vector<int> inputs;  // the others
  Vector y;                 // NaN where the cell is empty
  std::vector<int> known;   // rows to learn from
  std::vector<int> open;    // rows whose target is empty, to be predicted
  int dropped = 0;          // rows in neither: an input is missing, and rows are dropped
  RecipeOptions options;

  // Throws Error(kBadInput) for a target that holds no numbers, or none at all, and for a table of one column.
  static LabelledTable Of(RawTable table, const CsvOptions& options);

  // Some rows as a dataset, with the recipe fitted to them. Throws what Recipe::Fit and Recipe::Apply throw.
  Dataset Learn(const std::vector<int>& rows) const;
  // Others, as a model of that dataset sees them. Gaps that it cannot fill are an error.
  RecipeRows As(const Dataset& learnt, const std::vector<int>& rows, UnseenPolicy unseen) const;
  // Error(kBadInput) that names the first row without a target.
  [[noreturn]] void FailOpen() const;
};

INSTANTGP_EXPORT LabelledTable ReadLabelledTable(const std::string& path, const CsvOptions& options);

}  // namespace instantgp

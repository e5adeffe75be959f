// Rows to predict at, matched to a model's columns.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "instantgp/base/export.h"
#include "instantgp/base/matrix.h"
#include "instantgp/data/csv.h"

namespace instantgp {

struct RawTable;
struct Recipe;

struct INSTANTGP_EXPORT NewRows {
  Matrix X;                        // (m, d), the model's inputs in the model's order
  std::optional<Vector> y;         // (m) when the target's column is there; NaN where its cell is empty
  int dropped = 0;                 // rows left out for missing values
  std::vector<std::string> notes;  // what was done with gaps and levels, for people
};

struct INSTANTGP_EXPORT NewRowsOptions {
  MissingPolicy missing = MissingPolicy::kError;
  UnseenPolicy unseen = UnseenPolicy::kError;
};

// What a model says about the tables it knows.
struct INSTANTGP_EXPORT TableShape {
  std::vector<std::string> inputs;  // column_names()
  std::string target;
  const Recipe* recipe = nullptr;  // recipe()
};

// By name where the table has a header (other columns are ignored), by position otherwise: the columns, or the columns
// with the target last. Error(kBadInput) names the column that is missing and the nearest there is.
INSTANTGP_EXPORT NewRows ReadNewRows(const std::string& path, const TableShape& shape,
                                     const NewRowsOptions& options = {});
// The same of a text; `origin` names it in messages.
INSTANTGP_EXPORT NewRows ParseNewRows(std::string_view text, const std::string& origin, const TableShape& shape,
                                      const NewRowsOptions& options = {});
// Of a table that was read with the columns of shape.recipe->NeededAsText() as texts.
INSTANTGP_EXPORT NewRows MatchRows(const RawTable& table, const TableShape& shape, const NewRowsOptions& options = {});

}  // namespace instantgp

// Rows to predict at, matched to a model's columns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/data/csv.h"
#include "instantgp/model/ensemble.h"
#include "instantgp/model/model.h"

namespace instantgp::cli {

struct NewRows {
  Matrix X;                 // (m, d), the model's columns in the model's order
  std::optional<Vector> y;  // (m) when the target's column is there; NaN where its cell is empty
  int dropped = 0;          // rows left out for missing values
};

// "error" or "drop".
MissingPolicy MissingFromName(const std::string& name);

// By name where the table has a header (other columns are ignored), by position otherwise: d columns, or d + 1 with the
// target last. Error(kBadInput) names the column that is missing and the nearest there is.
NewRows ReadNewRows(const std::string& path, MissingPolicy missing, const std::vector<std::string>& columns,
                    const std::string& target);

// Of the rows whose target is known; nullopt when there is none.
std::optional<Scores> ScoreRows(const Model& model, const NewRows& rows);
std::optional<Scores> ScoreRows(const Ensemble& ensemble, const NewRows& rows);

}  // namespace instantgp::cli

#include "instantgp/data/dataset.h"

#include <cmath>
#include <limits>
#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/base/error.h"

namespace instantgp {

namespace {

void RequireFinite(double value, Index row, const std::string& column) {
  if (std::isfinite(value)) return;
  throw Error(ErrorCode::kBadInput, "row " + std::to_string(row + 1) + ", column '" + column + "': the value is " +
                                        (std::isnan(value) ? "missing (NaN)" : "infinite") +
                                        "; give a finite number or leave the row out");
}

}  // namespace

Dataset Dataset::Of(Matrix X, Vector y, std::vector<std::string> column_names, std::string target_name) {
  if (X.rows() != y.size()) {
    throw Error(ErrorCode::kBadInput, "the inputs have " + std::to_string(X.rows()) + " rows and the target " +
                                          std::to_string(y.size()) + "; give one target value per row");
  }
  if (X.rows() == 0) throw Error(ErrorCode::kBadInput, "the data has no rows; give at least one");
  if (X.cols() == 0) throw Error(ErrorCode::kBadInput, "the data has no input column; give at least one");
  if (X.rows() > std::numeric_limits<int>::max() || X.cols() > std::numeric_limits<int>::max()) {
    throw Error(ErrorCode::kLimit, "the data has more than 2147483647 rows or columns; use part of it");
  }
  if (column_names.empty()) {
    for (Index j = 1; j <= X.cols(); ++j) column_names.push_back("x" + std::to_string(j));
  }
  if (static_cast<Index>(column_names.size()) != X.cols()) {
    throw Error(ErrorCode::kBadInput, "there are " + std::to_string(column_names.size()) + " names for " +
                                          std::to_string(X.cols()) + " input columns; give one name per column");
  }
  for (Index j = 0; j < X.cols(); ++j) {
    for (Index i = 0; i < X.rows(); ++i) RequireFinite(X(i, j), i, column_names[static_cast<std::size_t>(j)]);
  }
  for (Index i = 0; i < y.size(); ++i) RequireFinite(y(i), i, target_name);
  return {std::move(X), std::move(y), std::move(column_names), std::move(target_name)};
}

Dataset SelectRows(const Dataset& data, const std::vector<int>& rows) {
  for (const int row : rows) INSTANTGP_CHECK(row >= 0 && row < data.rows());
  Dataset selected = Dataset::Of(data.X(rows, Eigen::all), data.y(rows), data.column_names, data.target_name);
  selected.recipe = data.recipe;
  return selected;
}

}  // namespace instantgp

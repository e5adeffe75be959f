// The table a model is fitted to.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "instantgp/base/export.h"
#include "instantgp/base/matrix.h"

namespace instantgp {

struct Recipe;

// n rows, d input columns, one target, all finite; X is (n, d).
struct INSTANTGP_EXPORT Dataset {
  Matrix X;
  Vector y;
  std::vector<std::string> column_names;  // d
  std::string target_name;
  // Of a table with dates, categories or imputed gaps: how its columns became those of X (recipe.h). Otherwise null.
  std::shared_ptr<const Recipe> recipe = nullptr;

  int rows() const { return static_cast<int>(X.rows()); }
  int columns() const { return static_cast<int>(X.cols()); }

  // Names default to x1..xd and y. Throws Error(kBadInput) on sizes that do not match, no rows, no columns, or a value
  // that is not finite (naming row and column).
  static Dataset Of(Matrix X, Vector y, std::vector<std::string> column_names = {}, std::string target_name = "y");
};

// The same columns, only the given rows, in the given order.
INSTANTGP_EXPORT Dataset SelectRows(const Dataset& data, const std::vector<int>& rows);

// The built-in example: international airline passengers, monthly totals in thousands, January 1949 to December 1960
// (Box and Jenkins, "Time Series Analysis", series G).
INSTANTGP_EXPORT Dataset AirlineExample();

}  // namespace instantgp

// The lengthscales of SE and MAT52 of a kernel, column by column: what guesses about columns change.
#pragma once

#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/kernel/expression.h"
#include "instantgp/kernel/log_parameters.h"

namespace instantgp {

class ColumnLengthscales {
 public:
  explicit ColumnLengthscales(const Expression& expression);

  bool empty() const { return rows_.empty(); }                  // there are none
  const std::vector<int>& columns() const { return columns_; }  // of X, that the kernel speaks of

  // theta with log_lengthscale(place, row) in every row of a lengthscale, place that of its column in columns().
  template <typename LogLengthscale>
  LogParameters With(LogParameters theta, const LogLengthscale& log_lengthscale) const {
    for (const auto& [row, place] : rows_) theta[row] = log_lengthscale(place, row);
    return theta;
  }

 private:
  struct Row {
    Index row;
    Index place;
  };
  std::vector<int> columns_;
  std::vector<Row> rows_;
};

}  // namespace instantgp

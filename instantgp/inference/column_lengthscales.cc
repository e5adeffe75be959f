#include "instantgp/inference/column_lengthscales.h"

#include <algorithm>

#include "instantgp/kernel/parameters.h"

namespace instantgp {

ColumnLengthscales::ColumnLengthscales(const Expression& expression) : columns_(ColumnsOf(expression)) {
  const ParameterTable table(expression);
  for (const Index row : table.Rows(ParameterKind::kLengthscale, {Elementary::kSE, Elementary::kMAT52})) {
    const int column = table[static_cast<std::size_t>(row)].column;
    rows_.push_back({row, std::ranges::find(columns_, column) - columns_.begin()});
  }
}

}  // namespace instantgp

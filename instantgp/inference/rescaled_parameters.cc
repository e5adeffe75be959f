#include "instantgp/inference/rescaled_parameters.h"

#include <cmath>

#include "instantgp/kernel/parameters.h"
#include "instantgp/kernel/units.h"

namespace instantgp {

Matrix InOuterUnits(const Expression& expression, const Matrix& theta, const Scaler& fresh) {
  const ParameterTable table(expression);
  Matrix out = theta;
  const Index p = static_cast<Index>(table.size());
  for (Index k = 0; k < theta.cols(); ++k) {
    Vector values = InOriginalUnits(expression, theta.col(k).head(p).array().exp(), fresh.x_range, fresh.y_std);
    for (const Index row : table.Rows(ParameterKind::kOffset, {Elementary::kLIN})) {
      const Parameter& offset = table[static_cast<std::size_t>(row)];
      const double zero = fresh.x_min[offset.column];
      values[row] += values[table.Row(offset.leaf, ParameterKind::kVariance)] * zero * zero;
    }
    out.col(k).head(p) = values.array().log();
    out(p, k) = theta(p, k) + 2 * std::log(fresh.y_std);
  }
  return out;
}

}  // namespace instantgp

// Parameters that a kernel's text fixes, as a fit holds them.
#pragma once

#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/kernel/expression.h"
#include "instantgp/kernel/log_parameters.h"

namespace instantgp {

// Rows of LogParameters that stay where they are.
struct FixedRows {
  std::vector<Index> rows;
  std::vector<double> log_values;  // in the units of the fit

  bool empty() const { return rows.empty(); }
  // A copy of theta with the rows at their values.
  LogParameters Held(LogParameters theta) const;
  // Set what belongs to the rows to zero. `curvature` may be null.
  void Hold(Vector& gradient, Matrix* curvature = nullptr) const;
};

// Of a canonical expression and data scaled as in InOriginalUnits (kernel/units.h), in the order of its ParameterTable.
FixedRows FixedRowsOf(const Expression& expression, const Vector& ranges, double y_scale);

// Whether a variance or an offset is fixed: then the kernel's overall scale cannot be changed freely.
bool FixesScale(const Expression& expression);
bool FixesAnything(const Expression& expression);

}  // namespace instantgp

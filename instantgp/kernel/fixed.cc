#include "instantgp/kernel/fixed.h"

#include <algorithm>
#include <cmath>

#include "instantgp/kernel/parameters.h"
#include "instantgp/kernel/units.h"

namespace instantgp {
namespace {

// visit(fixed parameter, row) for all of them, depth-first.
template <typename Visit>
void ForEachFixed(const Expression& e, Index& first, const Visit& visit) {
  if (e.op == Expression::Op::kLeaf) {
    const auto kinds = ParametersOf(e.symbol);
    for (const FixedParameter& fixed : e.fixed) {
      for (std::size_t k = 0; k < kinds.size(); ++k) {
        if (kinds[k] == fixed.kind) visit(fixed, first + static_cast<Index>(k));
      }
    }
    first += static_cast<Index>(kinds.size());
  }
  for (const Expression& term : e.terms) ForEachFixed(term, first, visit);
}

}  // namespace

LogParameters FixedRows::Held(LogParameters theta) const {
  for (std::size_t k = 0; k < rows.size(); ++k) theta[rows[k]] = log_values[k];
  return theta;
}

void FixedRows::Hold(Vector& gradient, Matrix* curvature) const {
  for (const Index row : rows) {
    gradient[row] = 0;
    if (curvature == nullptr) continue;
    curvature->row(row).setZero();
    curvature->col(row).setZero();
  }
}

FixedRows FixedRowsOf(const Expression& expression, const Vector& ranges, double y_scale) {
  FixedRows fixed;
  if (!FixesAnything(expression)) return fixed;
  const Vector unit = InOriginalUnits(expression, Vector::Ones(NumParameters(expression)), ranges, y_scale);
  Index first = 0;
  ForEachFixed(expression, first, [&](const FixedParameter& parameter, Index row) {
    fixed.rows.push_back(row);
    const double ratio = parameter.value / unit[row];
    constexpr double kMost = 700;  // exp() of it is a double
    fixed.log_values.push_back(std::isnormal(ratio)
                                   ? std::log(ratio)
                                   : std::clamp(std::log(parameter.value) - std::log(unit[row]), -kMost, kMost));
  });
  return fixed;
}

bool FixesScale(const Expression& expression) {
  bool found = false;
  Index first = 0;
  ForEachFixed(expression, first, [&](const FixedParameter& parameter, Index) {
    found = found || parameter.kind == ParameterKind::kVariance || parameter.kind == ParameterKind::kOffset;
  });
  return found;
}

bool FixesAnything(const Expression& expression) {
  bool found = false;
  Index first = 0;
  ForEachFixed(expression, first, [&](const FixedParameter&, Index) { found = true; });
  return found;
}

}  // namespace instantgp

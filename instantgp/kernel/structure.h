// The amortised family: a product over columns of sums of base symbols.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/kernel/expression.h"

namespace instantgp {

// symbols[i] are the addends on columns[i], ascending in both. Columns without a symbol are left out of the model.
// The leaves of ToExpression() come in the order: column, addend, factor; parameter tables rely on it.
struct Structure {
  std::vector<int> columns;
  std::vector<std::vector<BaseSymbol>> symbols;

  int dimensions() const { return static_cast<int>(columns.size()); }
  friend bool operator==(const Structure&, const Structure&) = default;
};

// Canonical (sorted); the same family member with the same columns.
Expression ToExpression(const Structure& structure);

// The structure of a canonical expression, or nullopt when it lies outside the family (a sum across columns, a product
// of three on one column, a product with a sum on the same column, a square).
std::optional<Structure> ToStructure(const Expression& expression);

// Where the parameters of a structure stand in the ParameterTable of its expression.
struct Factor {
  Elementary elementary = Elementary::kSE;
  Index first = 0, count = 0;           // rows [first, first + count)
  Index Row(ParameterKind kind) const;  // a kind the elementary kernel does not have is a bug
};
struct Addend {
  int column = 0;
  BaseSymbol symbol = BaseSymbol::kSE;
  Index first = 0, count = 0;
  std::vector<Factor> factors;
};
// In table order.
std::vector<Addend> AddendsOf(const Structure& structure);

// Multiplies the kernel by exp(log_scale): log_scale / dimensions goes to the variances and offsets of the first factor
// of every addend of a column. `theta` are the log-parameters in table order (without or with the noise, which is left
// alone).
void ScaleKernel(const Structure& structure, double log_scale, Eigen::Ref<Vector> theta);

// One sentence for an error message: why the expression is outside the family; empty when it is inside.
std::string WhyOutsideFamily(const Expression& expression, const std::vector<std::string>& column_names);

}  // namespace instantgp

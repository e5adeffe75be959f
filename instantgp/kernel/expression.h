// A kernel expression: a run-time tree of sums and products over elementary kernels, each acting on one column.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "instantgp/kernel/symbol.h"

namespace instantgp {

// A parameter that the kernel's text fixes: PER(month, period=12). The value is in the user's units
// (kernel/units.h); kernel/fixed.h turns it into those of a fit.
struct FixedParameter {
  ParameterKind kind = ParameterKind::kVariance;
  double value = 1;
  friend auto operator<=>(const FixedParameter&, const FixedParameter&) = default;
};

// A value; compare with ==. `column` is 0-based. A bound expression has a column in every leaf; kEveryColumn stands
// only in what the parser holds before it spreads the shorthand over the columns.
struct Expression {
  enum class Op { kLeaf, kSum, kProduct };
  static constexpr int kEveryColumn = -1;

  Op op = Op::kLeaf;
  Elementary symbol = Elementary::kSE;  // kLeaf
  int column = 0;                       // kLeaf
  std::vector<FixedParameter> fixed;    // kLeaf: by kind, each once
  std::vector<Expression> terms;        // kSum, kProduct: at least two in canonical form

  static Expression Leaf(Elementary symbol, int column);
  static Expression Sum(std::vector<Expression> terms);
  static Expression Product(std::vector<Expression> terms);

  friend bool operator==(const Expression&, const Expression&) = default;
};

// Nested sums and products flattened, single-term ones unwrapped, terms sorted by (smallest column, number of leaves,
// kind, content; those that differ in what they fix last). Never distributes: (SE+LIN)*PER shares one PER and stays as
// it is.
Expression Canonical(const Expression& expression);

int NumLeaves(const Expression& expression);
// Columns in use, ascending, each once.
std::vector<int> ColumnsOf(const Expression& expression);

// The canonical form with names, e.g. "(SE(x1) + SE(x1)*LIN(x1)) * PER(x2)". Names that are not plain identifiers are
// quoted; columns that share a name are numbered. ParseKernel() reads it back.
std::string Print(const Expression& expression, const std::vector<std::string>& column_names);
// As Print, but the shorthand ("SE + LIN*PER") when all columns carry the same one-column kernel.
std::string PrintShort(const Expression& expression, const std::vector<std::string>& column_names);

// "x1", ..., "xd"
std::vector<std::string> DefaultColumnNames(int d);

}  // namespace instantgp

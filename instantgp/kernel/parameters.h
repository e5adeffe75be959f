// The parameter table of an expression: one row per kernel parameter, in leaf order.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/base/rng.h"
#include "instantgp/kernel/expression.h"
#include "instantgp/kernel/log_parameters.h"
#include "instantgp/kernel/prior.h"

namespace instantgp {

struct Parameter {
  int leaf = 0;    // number of the leaf, depth-first
  int addend = 0;  // number of the top addend of the leaf's column group, for display
  int column = 0;
  Elementary elementary = Elementary::kSE;
  std::string symbol;  // the addend it belongs to: "SE", "SE*LIN", ...
  ParameterKind kind = ParameterKind::kVariance;
  GammaPrior prior;
};

// Every vector of parameters in the library follows this table. All parameters are positive; optimisers and the network
// work on their logarithms (kernel/log_parameters.h). The noise variance is not in the table.
class ParameterTable {
 public:
  explicit ParameterTable(const Expression& expression);

  std::size_t size() const { return parameters_.size(); }
  const Parameter& operator[](std::size_t row) const { return parameters_[row]; }
  auto begin() const { return parameters_.begin(); }
  auto end() const { return parameters_.end(); }

  // Of a row of LogParameters: the parameter's, or, in the last row, the noise's.
  GammaPrior PriorOfRow(Index row) const;
  // The row of a leaf's parameter; a leaf without one of that kind is a bug.
  Index Row(int leaf, ParameterKind kind) const;
  // The rows of all parameters of one kind that belong to the given elementary kernels.
  std::vector<Index> Rows(ParameterKind kind, std::initializer_list<Elementary> kernels) const;
  // Those of one elementary kernel on one column.
  std::vector<Index> RowsOf(int column, ParameterKind kind, Elementary kernel) const;

 private:
  std::vector<Parameter> parameters_;
};
int NumParameters(const Expression& expression);

// What multiplies kernel and noise by e, added to LogParameters: every addend's share is spread over its factors.
LogParameters ScaleDirection(const Expression& expression);

// One draw from the priors, the noise's included.
LogParameters DrawFromPrior(const ParameterTable& table, RandomStream& random);

}  // namespace instantgp

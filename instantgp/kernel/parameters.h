// The parameter table of an expression: one row per kernel parameter, in leaf order.
#pragma once

#include <string>
#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/base/rng.h"
#include "instantgp/kernel/expression.h"
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
// work on their logarithms. The noise variance is not in the table: where it joins the vector it comes last.
std::vector<Parameter> ParameterTable(const Expression& expression);
int NumParameters(const Expression& expression);

// Draws log-parameters from the priors, table order; the noise variance's logarithm last.
Vector DrawFromPrior(const std::vector<Parameter>& table, RandomStream& random);

}  // namespace instantgp

// An expression compiled for evaluation on blocks of pairs. Internal to gp/.
#pragma once

#include <cstddef>
#include <vector>

#include "instantgp/kernel/expression.h"

namespace instantgp {

// Numbers named slot are block arrays (pair_ops.h), numbers named table are per-point tables (covariance.cc).
struct ProgramLeaf {
  Elementary symbol;
  int column;
  int parameter;   // first row in the parameter table
  int table;       // first per-point table
  int slot;        // q (SE, PER), s (MAT52, MAT12) or the value (the others)
  int extra_slot;  // PER: the period factor; IOU: the derivative by its lengthscale
};

// A monomial is a product of leaves, evaluated with one exponential. A product has at most one monomial among its
// children.
struct ProgramNode {
  enum class Kind { kMonomial, kSum, kProduct } kind;
  std::vector<int> children;  // nodes (kSum, kProduct)
  std::vector<int> leaves;    // kMonomial: those with an exponent
  std::vector<int> plain;     // kMonomial: those without: LIN, WIE, IOU, BIAS
  int value_slot = 0;
  int rest_slot = 0;      // kMonomial with both kinds of leaves: the product of those with an exponent
  int first_slot = 0;     // kProduct and kMonomial with plain leaves: scratch of the backward pass
  int weighted_slot = 0;  // kMonomial with exponents: adjoint times value
};

struct Program {
  explicit Program(const Expression& expression);

  Expression expression;
  std::vector<ProgramLeaf> leaves;  // depth-first: the order of the parameter table
  std::vector<ProgramNode> nodes;   // children before parents; the root is last
  int num_parameters = 0;
  int num_tables = 0;
  int num_slots = 2;  // slot 0 holds the adjoint of the root, slot 1 weights (DerivativeProducts)

 private:
  int Compile(const Expression& e);
  int AddLeaf(const Expression& e);
  int AddMonomial(const std::vector<int>& members);
  int NewSlots(int count);
};

// The derivatives by the variances of a monomial's leaves are one: to the others from where the backward pass puts it,
// the first. `first` and `other` are parameters.
template <typename Copy>
void ShareVariances(const Program& program, Copy copy) {
  for (const ProgramNode& node : program.nodes) {
    for (std::size_t l = 1; l < node.leaves.size(); ++l) {
      copy(program.leaves[node.leaves[0]].parameter, program.leaves[node.leaves[l]].parameter);
    }
  }
}

// Whether the leaf's value is v exp(-q), times a polynomial for MAT52.
bool HasExponent(Elementary symbol);

// Per-point tables of a leaf: SE, MAT52 and MAT12 scaled x; LIN x and v x; PER sin h, cos h and h; WIE x; IOU u = x /
// l, f(u), its share in the derivative by log l, and f'(u); BIAS none.
int NumTables(Elementary symbol);

}  // namespace instantgp

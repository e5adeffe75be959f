// A compiled expression on one block of pairs, values only. Internal to gp/.
#pragma once

#include <cstddef>
#include <vector>

#include "instantgp/gp/block_evaluator.h"

namespace instantgp {

// BlockEvaluator keeps every intermediate array for its backward pass: a hundred and more in eight dimensions, too many
// for the first-level cache. Without a gradient a child's array is free once it is added or multiplied into its
// parent's, so a tree needs one array per level.
class ValueEvaluator {
 public:
  // `slots` holds NumSlots(program) * kSlotSize doubles.
  ValueEvaluator(const Program& program, const double* log_parameters, PointTables left, PointTables right,
                 double* slots);

  static int NumSlots(const Program& program);

  // The root's array: slot 0.
  const double* Evaluate(const pair::Block& block);

 private:
  void EvaluateNode(const pair::Block& block, const ProgramNode& node, double* out);
  void EvaluateMonomial(const pair::Block& block, const ProgramNode& node, double* out);

  template <typename Visitor>
  void Visit(int leaf, const Visitor& visit) const;

  const Program& program_;
  PointTables left_;
  PointTables right_;
  double* slots_;
  std::vector<LeafConstants> constants_;  // of each leaf
};

}  // namespace instantgp

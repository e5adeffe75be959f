// A compiled expression on one block of pairs: values forward, gradient backward. Internal to gp/.
#pragma once

#include <cstddef>
#include <vector>

#include "instantgp/gp/leaf_columns.h"
#include "instantgp/gp/pair_ops.h"
#include "instantgp/gp/program.h"

namespace instantgp {

inline constexpr int kSlotSize = pair::kBlock + pair::kPadding;  // doubles per block array

// What becomes of the derivatives D_p = dK / d log theta_p of a symmetric K whose lower triangle is visited: their sum
// under weights, and their products with a vector.
struct DerivativeProducts {
  const double* weights;  // W on the pairs of the block, a block array
  const double* a;        // (n), padded
  double* gradient;       // [p] += sum over the pairs of W D_p
  double* products;       // [p * stride + i] += (D_p a)_i
  std::ptrdiff_t stride;  // n, padded
};

class BlockEvaluator {
 public:
  // `slots` holds program.num_slots * kSlotSize doubles.
  BlockEvaluator(const Program& program, const double* log_parameters, PointTables left, PointTables right,
                 double* slots);

  double* Slot(int slot) { return slots_ + static_cast<std::ptrdiff_t>(slot) * kSlotSize; }

  // Values of all nodes on the block; returns the root's array.
  const double* Forward(const pair::Block& block);

  // After Forward on the same block: gradient[p] += sum_k adjoint_k d root_k / d log theta_p. With `points` also, for
  // leaf l and the block's columns j: points[l * right stride + j] += sum_i adjoint_ij d root_ij / d t_j, where t is
  // the leaf's scaled x: u (SE, MAT52, MAT12, IOU), x (LIN, WIE), h (PER); nothing for BIAS.
  void Backward(const pair::Block& block, const double* adjoint, double* gradient, double* points = nullptr);

  // After Forward on a block of the lower triangle, left and right points being the same. A monomial's variances
  // have one derivative; only the first of them receives it (ShareVariances).
  void Backward(const pair::Block& block, const DerivativeProducts& into);

 private:
  void ForwardLeaf(const pair::Block& block, int leaf);
  void ForwardMonomial(const pair::Block& block, const ProgramNode& node);
  void ForwardExponential(int size, const ProgramNode& node, double* out);
  template <typename Sink>
  void BackwardNode(const pair::Block& block, const ProgramNode& node, const double* adjoint, const Sink& sink);
  template <typename Sink>
  void BackwardProduct(const pair::Block& block, const ProgramNode& node, const double* adjoint, const Sink& sink);
  template <typename Sink>
  void BackwardMonomial(const pair::Block& block, const ProgramNode& node, const double* adjoint, const Sink& sink);
  template <typename Sink>
  void BackwardPlain(const pair::Block& block, const ProgramNode& node, const double* adjoint, const Sink& sink);
  // IOU: the pairs of leaf `index` by its log lengthscale, into the leaf's extra slot.
  const double* IouLengthscale(const pair::Block& block, int index);
  // The part of leaf `index` of a monomial in `points`. `weight`: adjoint * value of the monomial for leaves with an
  // exponent, adjoint * everything but the leaf itself for the others; the array of weights is a * b, b may be null.
  void AddPointDerivative(const pair::Block& block, int index, const double* a, const double* b);

  const double* Left(const ProgramLeaf& leaf, int table) const {
    return left_.data + (leaf.table + table) * left_.stride;
  }
  const double* Right(const ProgramLeaf& leaf, int table) const {
    return right_.data + (leaf.table + table) * right_.stride;
  }

  const Program& program_;
  PointTables left_;
  PointTables right_;
  double* slots_;
  double* points_ = nullptr;              // of the running Backward
  std::vector<LeafConstants> constants_;  // of each leaf
};

}  // namespace instantgp

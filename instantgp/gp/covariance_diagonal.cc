// The diagonal k(x, x), where every stationary kernel is its variance: one small tree per row.
#include <cmath>
#include <vector>

#include "instantgp/base/check.h"
#include "instantgp/base/resize.h"
#include "instantgp/gp/covariance.h"
#include "instantgp/gp/integrated_ou.h"
#include "instantgp/gp/program.h"

namespace instantgp {
namespace {

class DiagonalEvaluator {
 public:
  DiagonalEvaluator(const Program& program, const double* log_parameters)
      : program_(program),
        value_(program.nodes.size()),
        leaf_value_(program.leaves.size()),
        by_lengthscale_(program.leaves.size()) {
    for (int p = 0; p < program.num_parameters; ++p) parameters_.push_back(std::exp(log_parameters[p]));
  }

  double Forward(const Matrix& X, Index i) {
    for (std::size_t l = 0; l < program_.leaves.size(); ++l) {
      const ProgramLeaf& leaf = program_.leaves[l];
      leaf_value_[l] = LeafValue(leaf, X(i, leaf.column));
      if (leaf.symbol == Elementary::kIOU) by_lengthscale_[l] = IouDiagonal(leaf, X(i, leaf.column), pair::IouG);
    }
    for (std::size_t k = 0; k < program_.nodes.size(); ++k) {
      const ProgramNode& node = program_.nodes[k];
      const bool sum = node.kind == ProgramNode::Kind::kSum;
      double v = sum ? 0.0 : 1.0;
      for (int l : node.leaves) v *= leaf_value_[l];
      for (int l : node.plain) v *= leaf_value_[l];
      for (int c : node.children) v = sum ? v + value_[c] : v * value_[c];
      value_[k] = v;
    }
    return value_.back();
  }

  // After Forward: gradient[p] += weight * d k(x, x) / d log theta_p.
  void Backward(double weight, double* gradient) { BackwardNode(program_.nodes.back(), weight, gradient); }

 private:
  // 2 v l^2 f(|x| / l), or with g in place of f
  double IouDiagonal(const ProgramLeaf& leaf, double x, double (*function)(double)) const {
    const double l = parameters_[leaf.parameter + 1];
    return 2 * parameters_[leaf.parameter] * l * l * function(std::abs(x) / l);
  }

  double LeafValue(const ProgramLeaf& leaf, double x) const {
    const double variance = parameters_[leaf.parameter];
    if (leaf.symbol == Elementary::kLIN) return variance * x * x + parameters_[leaf.parameter + 1];
    if (leaf.symbol == Elementary::kWIE) return variance * std::abs(x);
    if (leaf.symbol == Elementary::kIOU) return IouDiagonal(leaf, x, pair::IouF);
    return variance;
  }

  void BackwardNode(const ProgramNode& node, double adjoint, double* gradient) {
    if (node.kind == ProgramNode::Kind::kSum) {
      for (int c : node.children) BackwardNode(program_.nodes[c], adjoint, gradient);
      return;
    }
    // forward: out = prod factors. A LIN may be zero, so the others are multiplied up, not divided out; they are few.
    for (int c : node.children) {
      double others = adjoint;
      for (int other : node.children) others *= other == c ? 1.0 : value_[other];
      BackwardNode(program_.nodes[c], others, gradient);
    }
    for (int l : node.leaves) BackwardLeaf(node, l, adjoint, gradient);
    for (int l : node.plain) BackwardLeaf(node, l, adjoint, gradient);
  }

  void BackwardLeaf(const ProgramNode& node, int l, double adjoint, double* gradient) {
    double others = adjoint;
    for (int other : node.leaves) others *= other == l ? 1.0 : leaf_value_[other];
    for (int other : node.plain) others *= other == l ? 1.0 : leaf_value_[other];
    const ProgramLeaf& leaf = program_.leaves[l];
    if (leaf.symbol == Elementary::kLIN) {
      const double offset = parameters_[leaf.parameter + 1];
      gradient[leaf.parameter] += others * (leaf_value_[l] - offset);
      gradient[leaf.parameter + 1] += others * offset;
    } else {
      gradient[leaf.parameter] += others * leaf_value_[l];
      if (leaf.symbol == Elementary::kIOU) gradient[leaf.parameter + 1] += others * by_lengthscale_[l];
    }
  }

  const Program& program_;
  std::vector<double> parameters_;  // not logarithms
  std::vector<double> value_;       // of every node
  std::vector<double> leaf_value_;
  std::vector<double> by_lengthscale_;  // of IOU leaves: d value / d log l
};

}  // namespace

void Covariance::Diagonal(const Matrix& X, const double* log_parameters, Vector& out) const {
  DiagonalEvaluator evaluate(*program_, log_parameters);
  Resize(out, X.rows());
  for (Index i = 0; i < X.rows(); ++i) out[i] = evaluate.Forward(X, i);
}

void Covariance::ContractDiagonal(const Matrix& X, const double* log_parameters, const Vector& w,
                                  double* gradient) const {
  INSTANTGP_CHECK(w.size() == X.rows());
  DiagonalEvaluator evaluate(*program_, log_parameters);
  for (Index i = 0; i < X.rows(); ++i) {
    evaluate.Forward(X, i);
    evaluate.Backward(w[i], gradient);
  }
}

}  // namespace instantgp

#include "instantgp/gp/block_evaluator.h"

#include <cmath>

namespace instantgp {

namespace hn = pair::hn;
using pair::Block;
using pair::Load;
using pair::Multiply;
using pair::V;

BlockEvaluator::BlockEvaluator(const Program& program, const double* log_parameters, PointTables left,
                               PointTables right, double* slots)
    : program_(program), left_(left), right_(right), slots_(slots), constants_(ConstantsOf(program, log_parameters)) {}

const double* BlockEvaluator::Forward(const Block& block) {
  for (const ProgramNode& node : program_.nodes) {
    if (node.kind == ProgramNode::Kind::kMonomial) {
      ForwardMonomial(block, node);
      continue;
    }
    double* out = Slot(node.value_slot);
    const double* a = Slot(program_.nodes[node.children[0]].value_slot);
    for (std::size_t c = 1; c < node.children.size(); ++c) {
      const double* b = Slot(program_.nodes[node.children[c]].value_slot);
      if (node.kind == ProgramNode::Kind::kProduct) {
        Multiply(block.size, a, b, out);
      } else {
        pair::Map(block.size, out, [=](int k) { return hn::Add(Load(a, k), Load(b, k)); });
      }
      a = out;
    }
  }
  return Slot(program_.nodes.back().value_slot);
}

void BlockEvaluator::ForwardLeaf(const Block& block, int index) {
  const ProgramLeaf& leaf = program_.leaves[index];
  VisitLeaf(leaf, constants_[index], left_, right_,
            [&](const auto& column) { pair::ForEachRun(block, Slot(leaf.slot), column); });
}

// value = exp(sum log v - sum q) * prod (1 + s + s^2/3) * prod plain
void BlockEvaluator::ForwardMonomial(const Block& block, const ProgramNode& node) {
  double* out = Slot(node.value_slot);
  for (int l : node.leaves) ForwardLeaf(block, l);
  for (int l : node.plain) ForwardLeaf(block, l);
  if (node.leaves.empty() && node.plain.size() == 1) return;  // the leaf's slot is the value's
  const double* a = nullptr;
  if (!node.leaves.empty()) {
    double* rest = node.plain.empty() ? out : Slot(node.rest_slot);
    ForwardExponential(block.size, node, rest);
    a = rest;
  }
  for (int l : node.plain) {
    const double* b = Slot(program_.leaves[l].slot);
    if (a == nullptr) {
      pair::Map(block.size, out, [=](int k) { return Load(b, k); });
    } else {
      Multiply(block.size, a, b, out);
    }
    a = out;
  }
}

void BlockEvaluator::ForwardExponential(int size, const ProgramNode& node, double* out) {
  const pair::D d;
  double log_v = 0;
  for (int l : node.leaves) log_v += constants_[l].log_variance;
  const V shift = hn::Set(d, log_v);
  const double* last = Slot(program_.leaves[node.leaves.back()].slot);
  if (node.leaves.size() == 1) {
    pair::Map(size, out, [=](int k) { return pair::BoundedExp(hn::Sub(shift, Load(last, k))); });
  } else {
    const double* first = Slot(program_.leaves[node.leaves[0]].slot);
    pair::Map(size, out, [=](int k) { return hn::Sub(shift, Load(first, k)); });
    for (std::size_t m = 1; m + 1 < node.leaves.size(); ++m) {
      const double* q = Slot(program_.leaves[node.leaves[m]].slot);
      pair::Map(size, out, [=](int k) { return hn::Sub(Load(out, k), Load(q, k)); });
    }
    pair::Map(size, out, [=](int k) { return pair::BoundedExp(hn::Sub(Load(out, k), Load(last, k))); });
  }
  const V one = hn::Set(d, 1.0), third = hn::Set(d, 1.0 / 3);
  for (int l : node.leaves) {
    if (program_.leaves[l].symbol != Elementary::kMAT52) continue;
    const double* s = Slot(program_.leaves[l].slot);
    pair::Map(size, out, [=](int k) {
      const V x = Load(s, k);
      return hn::Mul(Load(out, k), hn::MulAdd(x, hn::MulAdd(x, third, one), one));
    });
  }
}

}  // namespace instantgp

#include "instantgp/gp/value_evaluator.h"

#include <algorithm>

namespace instantgp {

namespace hn = pair::hn;
using pair::Block;
using pair::D;
using pair::Load;
using pair::V;

namespace {

int Depth(const Program& program, const ProgramNode& node) {
  int depth = 1;
  for (std::size_t c = 0; c < node.children.size(); ++c) {
    depth = std::max(depth, Depth(program, program.nodes[node.children[c]]) + (c > 0 ? 1 : 0));
  }
  return depth;
}

// out[k] = f(k, column(j)(i)) for every pair k = (i, j). f may read out[k], so nothing is written past a run's end.
template <typename Column, typename F>
void MapPairs(const Block& block, double* out, const Column& column, const F& f) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (const pair::Run run : block.runs) {  // a copy: vector stores may alias anything, and would make it be read again
    const auto row = column(run.column);
    double* to = out + run.offset;
    int k = 0;
    for (; k + lanes <= run.length; k += lanes) hn::StoreU(f(run.offset + k, row(run.row + k)), d, to + k);
    if (k < run.length) {
      const auto inside = hn::FirstN(d, static_cast<std::size_t>(run.length - k));
      hn::BlendedStore(f(run.offset + k, row(run.row + k)), inside, d, to + k);
    }
  }
}

}  // namespace

ValueEvaluator::ValueEvaluator(const Program& program, const double* log_parameters, PointTables left,
                               PointTables right, double* slots)
    : program_(program), left_(left), right_(right), slots_(slots), constants_(ConstantsOf(program, log_parameters)) {}

int ValueEvaluator::NumSlots(const Program& program) { return Depth(program, program.nodes.back()); }

const double* ValueEvaluator::Evaluate(const Block& block) {
  EvaluateNode(block, program_.nodes.back(), slots_);
  return slots_;
}

void ValueEvaluator::EvaluateNode(const Block& block, const ProgramNode& node, double* out) {
  if (node.kind == ProgramNode::Kind::kMonomial) {
    EvaluateMonomial(block, node, out);
    return;
  }
  double* next = out + kSlotSize;
  for (std::size_t c = 0; c < node.children.size(); ++c) {
    EvaluateNode(block, program_.nodes[node.children[c]], c == 0 ? out : next);
    if (c == 0) continue;
    if (node.kind == ProgramNode::Kind::kProduct) {
      pair::Map(block.size, out, [=](int k) { return hn::Mul(Load(out, k), Load(next, k)); });
    } else {
      pair::Map(block.size, out, [=](int k) { return hn::Add(Load(out, k), Load(next, k)); });
    }
  }
}

template <typename Visitor>
void ValueEvaluator::Visit(int leaf, const Visitor& visit) const {
  VisitLeaf(program_.leaves[leaf], constants_[leaf], left_, right_, visit);
}

// out = exp(sum log v - sum q) * prod (1 + s + s^2/3) * prod plain
void ValueEvaluator::EvaluateMonomial(const Block& block, const ProgramNode& node, double* out) {
  const D d;
  double log_v = 0;
  for (const int l : node.leaves) log_v += constants_[l].log_variance;
  const V shift = hn::Set(d, log_v);
  for (std::size_t m = 0; m < node.leaves.size(); ++m) {
    const bool first = m == 0, last = m + 1 == node.leaves.size();
    Visit(node.leaves[m], [&](const auto& column) {
      if (first && last) {
        MapPairs(block, out, column, [=](int, V q) { return pair::BoundedExp(hn::Sub(shift, q)); });
      } else if (first) {
        MapPairs(block, out, column, [=](int, V q) { return hn::Sub(shift, q); });
      } else if (last) {
        MapPairs(block, out, column, [=](int k, V q) { return pair::BoundedExp(hn::Sub(Load(out, k), q)); });
      } else {
        MapPairs(block, out, column, [=](int k, V q) { return hn::Sub(Load(out, k), q); });
      }
    });
  }
  const V one = hn::Set(d, 1.0), third = hn::Set(d, 1.0 / 3);
  for (const int l : node.leaves) {
    if (program_.leaves[l].symbol != Elementary::kMAT52) continue;
    Visit(l, [&](const auto& column) {
      MapPairs(block, out, column,
               [=](int k, V s) { return hn::Mul(Load(out, k), hn::MulAdd(s, hn::MulAdd(s, third, one), one)); });
    });
  }
  for (std::size_t m = 0; m < node.plain.size(); ++m) {
    const bool alone = m == 0 && node.leaves.empty();
    Visit(node.plain[m], [&](const auto& column) {
      if (alone) {
        MapPairs(block, out, column, [=](int, V value) { return value; });
      } else {
        MapPairs(block, out, column, [=](int k, V value) { return hn::Mul(Load(out, k), value); });
      }
    });
  }
}

}  // namespace instantgp

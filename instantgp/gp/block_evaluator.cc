#include "instantgp/gp/block_evaluator.h"

#include <cmath>

namespace instantgp {

namespace hn = pair::hn;
using pair::Block;
using pair::Load;
using pair::V;

namespace {

void Multiply(int size, const double* a, const double* b, double* out) {
  pair::Map(size, out, [=](int k) { return hn::Mul(Load(a, k), Load(b, k)); });
}

}  // namespace

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

void BlockEvaluator::Backward(const Block& block, const double* adjoint, double* gradient, double* points) {
  points_ = points;
  BackwardNode(block, program_.nodes.back(), adjoint, gradient);
}

void BlockEvaluator::BackwardNode(const Block& block, const ProgramNode& node, const double* adjoint,
                                  double* gradient) {
  switch (node.kind) {
    case ProgramNode::Kind::kMonomial:
      BackwardMonomial(block, node, adjoint, gradient);
      break;
    case ProgramNode::Kind::kSum:  // forward: out = sum_c value_c
      for (int c : node.children) BackwardNode(block, program_.nodes[c], adjoint, gradient);
      break;
    case ProgramNode::Kind::kProduct:
      BackwardProduct(block, node, adjoint, gradient);
      break;
  }
}

// forward: out = prod_c value_c; the adjoint of c is adjoint * prod_{c' < c} value_c' * prod_{c' > c} value_c'.
void BlockEvaluator::BackwardProduct(const Block& block, const ProgramNode& node, const double* adjoint,
                                     double* gradient) {
  const int m = static_cast<int>(node.children.size()), size = block.size;
  const auto value = [&](int c) -> const double* { return Slot(program_.nodes[node.children[c]].value_slot); };
  // slot first_slot + c: adjoint * prod_{c' <= c}
  const auto before = [&](int c) -> const double* { return c == 0 ? adjoint : Slot(node.first_slot + c - 1); };
  for (int c = 0; c + 1 < m; ++c) Multiply(size, before(c), value(c), Slot(node.first_slot + c));
  BackwardNode(block, program_.nodes[node.children[m - 1]], before(m - 1), gradient);
  const double* after = value(m - 1);
  double* product = Slot(node.first_slot + m);
  double* child = Slot(node.first_slot + m - 1);
  for (int c = m - 2; c >= 0; --c) {
    Multiply(size, before(c), after, child);
    BackwardNode(block, program_.nodes[node.children[c]], child, gradient);
    if (c == 0) break;
    Multiply(size, after, value(c), product);
    after = product;
  }
}

// forward: value = exp(sum log v - sum q) ..., so d value / d log v = value and d value / d log l = 2 q value (SE,
// PER).
void BlockEvaluator::BackwardMonomial(const Block& block, const ProgramNode& node, const double* adjoint,
                                      double* gradient) {
  const pair::D d;
  const double* value = Slot(node.value_slot);
  const auto weighted = [=](int k) { return hn::Mul(Load(adjoint, k), Load(value, k)); };
  for (int l : node.leaves) {
    const ProgramLeaf& leaf = program_.leaves[l];
    const double* q = Slot(leaf.slot);
    double* g = gradient + leaf.parameter;
    double sums[3] = {0, 0, 0};
    if (leaf.symbol == Elementary::kMAT52) {
      // forward: (1 + s + s^2/3) exp(-s); d/d log l = (s^2/3)(1 + s) exp(-s)
      const V one = hn::Set(d, 1.0), third = hn::Set(d, 1.0 / 3);
      pair::Reduce<2>(block.size, sums, [=](int k, V* out) {
        const V s = Load(q, k);
        const V s2 = hn::Mul(hn::Mul(s, s), third);
        out[0] = weighted(k);
        out[1] = hn::Mul(out[0], hn::Div(hn::MulAdd(s2, s, s2), hn::Add(hn::Add(s2, s), one)));
      });
      g[1] += sums[1];
    } else if (leaf.symbol == Elementary::kMAT12) {
      // forward: exp(-s); d/d log l = s exp(-s)
      pair::Reduce<2>(block.size, sums, [=](int k, V* out) {
        out[0] = weighted(k);
        out[1] = hn::Mul(out[0], Load(q, k));
      });
      g[1] += sums[1];
    } else if (leaf.symbol == Elementary::kSE) {
      pair::Reduce<2>(block.size, sums, [=](int k, V* out) {
        out[0] = weighted(k);
        out[1] = hn::Mul(out[0], Load(q, k));
      });
      g[1] += 2 * sums[1];
    } else {
      // forward: q = sin^2(h) / (2 l^2), h = pi (x - x') / p; d value / d log p = value * h sin h cos h / l^2
      double* w = Slot(leaf.extra_slot);
      pair::PeriodFactor(block, Left(leaf, 0), Left(leaf, 1), Left(leaf, 2), Right(leaf, 0), Right(leaf, 1),
                         Right(leaf, 2), constants_[l].periodic_scale, w);
      pair::Reduce<3>(block.size, sums, [=](int k, V* out) {
        out[0] = weighted(k);
        out[1] = hn::Mul(out[0], Load(q, k));
        out[2] = hn::Mul(out[0], Load(w, k));
      });
      g[1] += 2 * sums[1];
      g[2] += sums[2];
    }
    g[0] += sums[0];
    if (points_ != nullptr) AddPointDerivative(block, l, adjoint, value);
  }
  if (!node.plain.empty()) BackwardPlain(block, node, adjoint, gradient);
}

// forward: v l^2 (f(|u_i|) + f(|u_j|) - f(|u_i - u_j|)); d/d log l is the same with g for f. Returns its sum, weighted.
double BlockEvaluator::IouLengthscale(const Block& block, int index, const double* weights) {
  const ProgramLeaf& leaf = program_.leaves[index];
  const double* left = Left(leaf, 0);
  const double* left_g = Left(leaf, 2);
  const double* right = Right(leaf, 0);
  const double* right_g = Right(leaf, 2);
  double* derivative = Slot(leaf.extra_slot);
  pair::ForEachRun(block, derivative, [=](int j) {
    const V b = hn::Set(pair::D(), right[j]), g_b = hn::Set(pair::D(), right_g[j]);
    return [=](int i) {
      const V between = pair::IouG(hn::Abs(hn::Sub(Load(left, i), b)));
      return hn::Sub(hn::Add(Load(left_g, i), g_b), between);
    };
  });
  double sum = 0;
  pair::Reduce<1>(block.size, &sum, [=](int k, V* out) { out[0] = hn::Mul(Load(weights, k), Load(derivative, k)); });
  return constants_[index].amplitude * sum;
}

// forward: value = rest * prod_m plain_m. A plain leaf may be zero, so the product of the others is built up, not
// divided out.
void BlockEvaluator::BackwardPlain(const Block& block, const ProgramNode& node, const double* adjoint,
                                   double* gradient) {
  const int m = static_cast<int>(node.plain.size()), size = block.size;
  const auto value = [&](int c) -> const double* { return Slot(program_.leaves[node.plain[c]].slot); };
  // before(c) = adjoint * rest * prod_{c' < c}; slot first_slot + c, except that before(0) may be the adjoint itself
  const auto before = [&](int c) -> const double* {
    return c == 0 && node.leaves.empty() ? adjoint : Slot(node.first_slot + c);
  };
  if (!node.leaves.empty()) Multiply(size, adjoint, Slot(node.rest_slot), Slot(node.first_slot));
  for (int c = 0; c + 1 < m; ++c) Multiply(size, before(c), value(c), Slot(node.first_slot + c + 1));
  double* product = Slot(node.first_slot + m);
  const double* after = nullptr;  // prod_{c' > c}; none for the last
  for (int c = m - 1; c >= 0; --c) {
    const double* others = before(c);
    if (after != nullptr) {
      Multiply(size, others, after, Slot(node.first_slot + c));
      others = Slot(node.first_slot + c);
    }
    const double* v = value(c);
    double sums[2] = {0, 0};
    pair::Reduce<2>(size, sums, [=](int k, V* out) {
      out[0] = Load(others, k);
      out[1] = hn::Mul(out[0], Load(v, k));
    });
    const ProgramLeaf& leaf = program_.leaves[node.plain[c]];
    if (leaf.symbol == Elementary::kLIN) {
      const double offset = constants_[node.plain[c]].offset;
      gradient[leaf.parameter] += sums[1] - offset * sums[0];  // LIN - c = v x x'
      gradient[leaf.parameter + 1] += offset * sums[0];
    } else {
      gradient[leaf.parameter] += sums[1];
    }
    if (leaf.symbol == Elementary::kIOU) {
      gradient[leaf.parameter + 1] += IouLengthscale(block, node.plain[c], others);
    }
    if (points_ != nullptr) AddPointDerivative(block, node.plain[c], others, nullptr);
    if (c == 0) break;
    if (after == nullptr) {
      after = v;
    } else {
      Multiply(size, after, v, product);
      after = product;
    }
  }
}

}  // namespace instantgp

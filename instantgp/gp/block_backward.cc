// Derivatives of the pairs of a block, from the root of the expression to its leaves.
#include <cstddef>

#include "instantgp/gp/block_evaluator.h"

namespace instantgp {

namespace hn = pair::hn;
using pair::Block;
using pair::Load;
using pair::Multiply;
using pair::V;

namespace {

// Both sinks take the derivatives of M parameters from `first` on: f(k, out) sets out[m] to that of the pairs k, k + 1,
// ... under the adjoint of the running pass.

// gradient[p] += sum over the pairs. The adjoint is the weights'.
struct SumOfPairs {
  double* gradient;

  template <int M, typename F>
  void Add(const Block& block, int first, F f) const {
    pair::Reduce<M>(block.size, gradient + first, f);
  }
};

// The adjoint is 1. A pair (i, j) of the lower triangle stands for (j, i) too, the diagonal for itself alone.
struct ProductsOfPairs {
  const DerivativeProducts& into;

  template <int M, typename F>
  void Add(const Block& block, int first, F f) const {
    const pair::D d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    V weighted[M];
    for (V& sum : weighted) sum = hn::Zero(d);
    for (const pair::Run& run : block.runs) {
      double* products = into.products + first * into.stride;
      const V a_j = hn::Set(d, into.a[run.column]);
      V column[M], out[M];
      for (V& sum : column) sum = hn::Zero(d);
      double diagonal[M] = {};
      for (int k = 0; k < run.length; k += lanes) {
        f(run.offset + k, out);
        if (k + lanes > run.length) {
          const auto inside = hn::FirstN(d, static_cast<std::size_t>(run.length - k));
          for (V& o : out) o = hn::IfThenElseZero(inside, o);
        }
        if (k == 0 && run.row == run.column) {
          for (int m = 0; m < M; ++m) diagonal[m] = hn::GetLane(out[m]);
        }
        const V w = Load(into.weights, run.offset + k), a_i = Load(into.a, run.row + k);
        for (int m = 0; m < M; ++m) {
          double* row = products + m * into.stride + run.row + k;
          weighted[m] = hn::MulAdd(out[m], w, weighted[m]);
          column[m] = hn::MulAdd(out[m], a_i, column[m]);
          hn::StoreU(hn::MulAdd(out[m], a_j, hn::LoadU(d, row)), d, row);
        }
      }
      for (int m = 0; m < M; ++m) {
        products[m * into.stride + run.column] +=
            hn::GetLane(hn::SumOfLanes(d, column[m])) - diagonal[m] * into.a[run.column];
      }
    }
    for (int m = 0; m < M; ++m) into.gradient[first + m] += hn::GetLane(hn::SumOfLanes(d, weighted[m]));
  }
};

}  // namespace

void BlockEvaluator::Backward(const Block& block, const double* adjoint, double* gradient, double* points) {
  points_ = points;
  BackwardNode(block, program_.nodes.back(), adjoint, SumOfPairs{gradient});
}

void BlockEvaluator::Backward(const Block& block, const DerivativeProducts& into) {
  points_ = nullptr;
  double* ones = Slot(0);
  const V one = hn::Set(pair::D(), 1.0);
  pair::Map(block.size, ones, [=](int) { return one; });
  BackwardNode(block, program_.nodes.back(), ones, ProductsOfPairs{into});
}

template <typename Sink>
void BlockEvaluator::BackwardNode(const Block& block, const ProgramNode& node, const double* adjoint,
                                  const Sink& sink) {
  switch (node.kind) {
    case ProgramNode::Kind::kMonomial:
      BackwardMonomial(block, node, adjoint, sink);
      break;
    case ProgramNode::Kind::kSum:  // forward: out = sum_c value_c
      for (int c : node.children) BackwardNode(block, program_.nodes[c], adjoint, sink);
      break;
    case ProgramNode::Kind::kProduct:
      BackwardProduct(block, node, adjoint, sink);
      break;
  }
}

// forward: out = prod_c value_c; the adjoint of c is adjoint * prod_{c' < c} value_c' * prod_{c' > c} value_c'.
template <typename Sink>
void BlockEvaluator::BackwardProduct(const Block& block, const ProgramNode& node, const double* adjoint,
                                     const Sink& sink) {
  const int m = static_cast<int>(node.children.size()), size = block.size;
  const auto value = [&](int c) -> const double* { return Slot(program_.nodes[node.children[c]].value_slot); };
  // slot first_slot + c: adjoint * prod_{c' <= c}
  const auto before = [&](int c) -> const double* { return c == 0 ? adjoint : Slot(node.first_slot + c - 1); };
  for (int c = 0; c + 1 < m; ++c) Multiply(size, before(c), value(c), Slot(node.first_slot + c));
  BackwardNode(block, program_.nodes[node.children[m - 1]], before(m - 1), sink);
  const double* after = value(m - 1);
  double* product = Slot(node.first_slot + m);
  double* child = Slot(node.first_slot + m - 1);
  for (int c = m - 2; c >= 0; --c) {
    Multiply(size, before(c), after, child);
    BackwardNode(block, program_.nodes[node.children[c]], child, sink);
    if (c == 0) break;
    Multiply(size, after, value(c), product);
    after = product;
  }
}

// forward: value = exp(sum log v - sum q) ..., so d value / d log v = value, the same for every leaf, and
// d value / d log l = 2 q value (SE, PER).
template <typename Sink>
void BlockEvaluator::BackwardMonomial(const Block& block, const ProgramNode& node, const double* adjoint,
                                      const Sink& sink) {
  const pair::D d;
  const double* value = Slot(node.value_slot);
  if (!node.leaves.empty()) {
    double* weighted = Slot(node.weighted_slot);
    Multiply(block.size, adjoint, value, weighted);
    sink.template Add<1>(block, program_.leaves[node.leaves[0]].parameter,
                         [=](int k, V* out) { out[0] = Load(weighted, k); });
    for (int l : node.leaves) {
      const ProgramLeaf& leaf = program_.leaves[l];
      const double* q = Slot(leaf.slot);
      const int lengthscale = leaf.parameter + 1;
      if (leaf.symbol == Elementary::kMAT52) {
        // forward: (1 + s + s^2/3) exp(-s); d/d log l = (s^2/3)(1 + s) exp(-s)
        const V one = hn::Set(d, 1.0), third = hn::Set(d, 1.0 / 3);
        sink.template Add<1>(block, lengthscale, [=](int k, V* out) {
          const V s = Load(q, k);
          const V s2 = hn::Mul(hn::Mul(s, s), third);
          out[0] = hn::Mul(Load(weighted, k), hn::Div(hn::MulAdd(s2, s, s2), hn::Add(hn::Add(s2, s), one)));
        });
      } else if (leaf.symbol == Elementary::kMAT12) {
        // forward: exp(-s); d/d log l = s exp(-s)
        sink.template Add<1>(block, lengthscale,
                             [=](int k, V* out) { out[0] = hn::Mul(Load(weighted, k), Load(q, k)); });
      } else if (leaf.symbol == Elementary::kSE) {
        sink.template Add<1>(block, lengthscale, [=](int k, V* out) {
          const V half = hn::Mul(Load(weighted, k), Load(q, k));
          out[0] = hn::Add(half, half);
        });
      } else {
        // forward: q = sin^2(h) / (2 l^2), h = pi (x - x') / p; d value / d log p = value * h sin h cos h / l^2
        double* w = Slot(leaf.extra_slot);
        pair::PeriodFactor(block, Left(leaf, 0), Left(leaf, 1), Left(leaf, 2), Right(leaf, 0), Right(leaf, 1),
                           Right(leaf, 2), constants_[l].periodic_scale, w);
        sink.template Add<2>(block, lengthscale, [=](int k, V* out) {
          const V a = Load(weighted, k), half = hn::Mul(a, Load(q, k));
          out[0] = hn::Add(half, half);
          out[1] = hn::Mul(a, Load(w, k));
        });
      }
      if (points_ != nullptr) AddPointDerivative(block, l, adjoint, value);
    }
  }
  if (!node.plain.empty()) BackwardPlain(block, node, adjoint, sink);
}

// forward: v l^2 (f(|u_i|) + f(|u_j|) - f(|u_i - u_j|)); d/d log l is the same with g for f, but for the amplitude v
// l^2.
const double* BlockEvaluator::IouLengthscale(const Block& block, int index) {
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
  return derivative;
}

// forward: value = rest * prod_m plain_m. A plain leaf may be zero, so the product of the others is built up, not
// divided out.
template <typename Sink>
void BlockEvaluator::BackwardPlain(const Block& block, const ProgramNode& node, const double* adjoint,
                                   const Sink& sink) {
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
    const int l = node.plain[c];
    const ProgramLeaf& leaf = program_.leaves[l];
    if (leaf.symbol == Elementary::kLIN) {
      const V offset = hn::Set(pair::D(), constants_[l].offset);
      sink.template Add<2>(block, leaf.parameter, [=](int k, V* out) {
        const V a = Load(others, k);
        out[1] = hn::Mul(a, offset);
        out[0] = hn::Sub(hn::Mul(a, Load(v, k)), out[1]);  // LIN - c = v x x'
      });
    } else {
      sink.template Add<1>(block, leaf.parameter,
                           [=](int k, V* out) { out[0] = hn::Mul(Load(others, k), Load(v, k)); });
    }
    if (leaf.symbol == Elementary::kIOU) {
      const double* derivative = IouLengthscale(block, l);
      const V amplitude = hn::Set(pair::D(), constants_[l].amplitude);
      sink.template Add<1>(block, leaf.parameter + 1, [=](int k, V* out) {
        out[0] = hn::Mul(hn::Mul(Load(others, k), amplitude), Load(derivative, k));
      });
    }
    if (points_ != nullptr) AddPointDerivative(block, l, others, nullptr);
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

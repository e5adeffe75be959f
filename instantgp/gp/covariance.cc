#include "instantgp/gp/covariance.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "instantgp/base/check.h"
#include "instantgp/gp/pair_ops.h"
#include "instantgp/kernel/symbol.h"

namespace instantgp {
namespace {

using pair::Block;
using pair::kBlock;
using pair::kPadding;

constexpr int kSlot = kBlock + kPadding;  // doubles per block array

struct Leaf {
  Elementary symbol;
  int column;
  int parameter;   // first row in the parameter table
  int table;       // first per-point table
  int slot;        // block array of q (SE, PER), s (MAT52) or the value (LIN)
  int extra_slot;  // PER: block array of the period factor
};

// A monomial is a product of leaves, evaluated with one exponential. A product has at most one monomial among its
// children.
struct Node {
  enum class Kind { kMonomial, kSum, kProduct } kind;
  std::vector<int> children;  // nodes (kSum, kProduct)
  std::vector<int> leaves;    // kMonomial
  int value_slot = 0;
  int exp_slot = 0;    // kMonomial with LIN: the product without its LIN factors
  int first_slot = 0;  // kProduct and kMonomial: scratch arrays of the backward pass
};

int TablesOf(Elementary symbol) {
  switch (symbol) {
    case Elementary::kSE:
    case Elementary::kMAT52:
      return 1;  // scaled x
    case Elementary::kLIN:
      return 2;  // x, v x
    case Elementary::kPER:
      return 3;  // sin h, cos h, h
  }
  return 0;
}

}  // namespace

struct Covariance::Program {
  Expression expression;
  std::vector<Leaf> leaves;  // depth-first: table order
  std::vector<Node> nodes;   // children before parents; the root is last
  int num_parameters = 0;
  int num_tables = 0;
  int num_slots = 1;  // slot 0 holds the adjoint of the root

  explicit Program(const Expression& e) : expression(e) { Compile(e); }

  int NewSlots(int count) {
    num_slots += count;
    return num_slots - count;
  }

  int AddLeaf(const Expression& e) {
    INSTANTGP_CHECK(e.column >= 0);
    Leaf leaf{e.symbol, e.column, num_parameters, num_tables, NewSlots(1), 0};
    if (e.symbol == Elementary::kPER) leaf.extra_slot = NewSlots(1);
    num_parameters += static_cast<int>(ParametersOf(e.symbol).size());
    num_tables += TablesOf(e.symbol);
    leaves.push_back(leaf);
    return static_cast<int>(leaves.size()) - 1;
  }

  int AddMonomial(std::vector<int> members) {
    Node node{Node::Kind::kMonomial, {}, std::move(members)};
    node.value_slot = NewSlots(1);
    int linear = 0;
    for (int l : node.leaves) linear += leaves[l].symbol == Elementary::kLIN;
    if (linear > 0) {
      node.exp_slot = NewSlots(1);
      node.first_slot = NewSlots(linear + 2);
    }
    nodes.push_back(std::move(node));
    return static_cast<int>(nodes.size()) - 1;
  }

  // Leaves are numbered as they are met, so the order is the depth-first order of the parameter table.
  int Compile(const Expression& e) {
    if (e.op == Expression::Op::kLeaf) return AddMonomial({AddLeaf(e)});
    std::vector<int> children, members;
    for (const Expression& term : e.terms) {
      if (e.op == Expression::Op::kProduct && term.op == Expression::Op::kLeaf) {
        members.push_back(AddLeaf(term));
      } else {
        children.push_back(Compile(term));
      }
    }
    if (!members.empty()) children.push_back(AddMonomial(std::move(members)));
    if (children.size() == 1) return children[0];
    Node node{e.op == Expression::Op::kSum ? Node::Kind::kSum : Node::Kind::kProduct, children, {}};
    node.value_slot = NewSlots(1);
    if (node.kind == Node::Kind::kProduct) node.first_slot = NewSlots(static_cast<int>(children.size()) + 2);
    nodes.push_back(std::move(node));
    return static_cast<int>(nodes.size()) - 1;
  }
};

namespace {

// Per-point tables of all leaves for the rows of X; table t starts at t * stride.
int FillTables(const std::vector<Leaf>& leaves, const Matrix& X, const double* log_parameters, double* tables) {
  const int n = static_cast<int>(X.rows()), stride = n + kPadding;
  for (const Leaf& leaf : leaves) {
    INSTANTGP_CHECK(leaf.column < X.cols());
    const double* x = X.data() + static_cast<std::ptrdiff_t>(leaf.column) * n;
    const double* log_p = log_parameters + leaf.parameter;
    double* t = tables + static_cast<std::ptrdiff_t>(leaf.table) * stride;
    std::fill(t, t + static_cast<std::ptrdiff_t>(TablesOf(leaf.symbol)) * stride, 0.0);
    switch (leaf.symbol) {
      case Elementary::kSE: {
        const double scale = std::exp(-log_p[1]) / std::numbers::sqrt2;
        for (int i = 0; i < n; ++i) t[i] = x[i] * scale;
        break;
      }
      case Elementary::kMAT52: {
        const double scale = std::sqrt(5.0) * std::exp(-log_p[1]);
        for (int i = 0; i < n; ++i) t[i] = x[i] * scale;
        break;
      }
      case Elementary::kLIN: {
        const double v = std::exp(log_p[0]);
        for (int i = 0; i < n; ++i) {
          t[i] = x[i];
          t[stride + i] = v * x[i];
        }
        break;
      }
      case Elementary::kPER: {
        const double scale = std::numbers::pi * std::exp(-log_p[2]);
        for (int i = 0; i < n; ++i) {
          const double h = x[i] * scale;
          t[i] = std::sin(h);
          t[stride + i] = std::cos(h);
          t[2 * stride + i] = h;
        }
        break;
      }
    }
  }
  return stride;
}

// Evaluates the program on one block at a time.
class BlockEvaluator {
 public:
  BlockEvaluator(const std::vector<Leaf>& leaves, const std::vector<Node>& nodes, const double* log_parameters,
                 const double* left, int left_stride, const double* right, int right_stride, double* slots)
      : leaves_(leaves),
        nodes_(nodes),
        log_p_(log_parameters),
        left_(left),
        right_(right),
        left_stride_(left_stride),
        right_stride_(right_stride),
        slots_(slots) {}

  double* Slot(int slot) { return slots_ + static_cast<std::ptrdiff_t>(slot) * kSlot; }

  // Values of all nodes; returns the root's array.
  const double* Forward(const Block& block) {
    for (const Node& node : nodes_) {
      double* out = Slot(node.value_slot);
      if (node.kind == Node::Kind::kMonomial) {
        ForwardMonomial(block, node, out);
        continue;
      }
      const double* a = Slot(nodes_[node.children[0]].value_slot);
      for (std::size_t c = 1; c < node.children.size(); ++c) {
        const double* b = Slot(nodes_[node.children[c]].value_slot);
        if (node.kind == Node::Kind::kSum) {
          pair::Map(block.size, out, [=](int k) { return pair::hn::Add(pair::Load(a, k), pair::Load(b, k)); });
        } else {
          pair::Map(block.size, out, [=](int k) { return pair::hn::Mul(pair::Load(a, k), pair::Load(b, k)); });
        }
        a = out;
      }
    }
    return Slot(nodes_.back().value_slot);
  }

  // After Forward on the same block: adds sum_k adjoint_k d(root_k)/d(log theta) to the gradient.
  void Backward(const Block& block, const double* adjoint, double* gradient) {
    BackwardNode(block, nodes_.back(), adjoint, gradient);
  }

 private:
  const double* Left(const Leaf& leaf, int table) const {
    return left_ + static_cast<std::ptrdiff_t>(leaf.table + table) * left_stride_;
  }
  const double* Right(const Leaf& leaf, int table) const {
    return right_ + static_cast<std::ptrdiff_t>(leaf.table + table) * right_stride_;
  }
  double PeriodicScale(const Leaf& leaf) const { return 0.5 * std::exp(-2 * log_p_[leaf.parameter + 1]); }

  // value = exp(sum log v - sum q) * prod (1 + s + s^2/3) * prod LIN
  void ForwardMonomial(const Block& block, const Node& node, double* out) {
    namespace hn = pair::hn;
    const pair::D d;
    const int size = block.size;
    double log_v = 0;
    int exponents = 0, linears = 0;
    for (int l : node.leaves) {
      const Leaf& leaf = leaves_[l];
      double* q = Slot(leaf.slot);
      switch (leaf.symbol) {
        case Elementary::kSE:
          pair::SquaredDifference(block, Left(leaf, 0), Right(leaf, 0), q);
          break;
        case Elementary::kMAT52:
          pair::AbsoluteDifference(block, Left(leaf, 0), Right(leaf, 0), q);
          break;
        case Elementary::kPER:
          pair::SquaredSine(block, Left(leaf, 0), Left(leaf, 1), Right(leaf, 0), Right(leaf, 1), PeriodicScale(leaf),
                            q);
          break;
        case Elementary::kLIN:
          pair::Linear(block, Left(leaf, 1), Right(leaf, 0), std::exp(log_p_[leaf.parameter + 1]), q);
          ++linears;
          continue;
      }
      log_v += log_p_[leaf.parameter];
      ++exponents;
    }
    double* product = linears > 0 ? Slot(node.exp_slot) : out;
    if (exponents == 0) {
      pair::Map(size, product, [=](int) { return hn::Set(d, 1.0); });
    } else {
      SumExponents(size, node, log_v, product);
    }
    if (linears == 0) return;
    const double* a = product;
    for (int l : node.leaves) {
      if (leaves_[l].symbol != Elementary::kLIN) continue;
      const double* b = Slot(leaves_[l].slot);
      pair::Map(size, out, [=](int k) { return hn::Mul(pair::Load(a, k), pair::Load(b, k)); });
      a = out;
    }
  }

  void SumExponents(int size, const Node& node, double log_v, double* out) {
    namespace hn = pair::hn;
    const pair::D d;
    const pair::V shift = hn::Set(d, log_v);
    const double* only = nullptr;  // the one leaf with an exponent, the common case: no intermediate sum
    int exponents = 0;
    for (int l : node.leaves) {
      if (leaves_[l].symbol == Elementary::kLIN) continue;
      only = Slot(leaves_[l].slot);
      ++exponents;
    }
    if (exponents == 1) {
      pair::Map(size, out, [=](int k) { return pair::BoundedExp(hn::Sub(shift, pair::Load(only, k))); });
    } else {
      bool first = true;
      for (int l : node.leaves) {
        if (leaves_[l].symbol == Elementary::kLIN) continue;
        const double* q = Slot(leaves_[l].slot);
        if (first) {
          pair::Map(size, out, [=](int k) { return hn::Sub(shift, pair::Load(q, k)); });
        } else {
          pair::Map(size, out, [=](int k) { return hn::Sub(pair::Load(out, k), pair::Load(q, k)); });
        }
        first = false;
      }
      pair::Map(size, out, [=](int k) { return pair::BoundedExp(pair::Load(out, k)); });
    }
    const pair::V one = hn::Set(d, 1.0), third = hn::Set(d, 1.0 / 3);
    for (int l : node.leaves) {
      if (leaves_[l].symbol != Elementary::kMAT52) continue;
      const double* s = Slot(leaves_[l].slot);
      pair::Map(size, out, [=](int k) {
        const pair::V x = pair::Load(s, k);
        return hn::Mul(pair::Load(out, k), hn::MulAdd(x, hn::MulAdd(x, third, one), one));
      });
    }
  }

  void BackwardNode(const Block& block, const Node& node, const double* adjoint, double* gradient) {
    namespace hn = pair::hn;
    const int size = block.size;
    switch (node.kind) {
      case Node::Kind::kMonomial:
        BackwardMonomial(block, node, adjoint, gradient);
        return;
      case Node::Kind::kSum:
        for (int c : node.children) BackwardNode(block, nodes_[c], adjoint, gradient);
        return;
      case Node::Kind::kProduct: {
        // forward: out = prod_c value_c; adjoint of c = adjoint * prod_{c' < c} value * prod_{c' > c} value
        const int m = static_cast<int>(node.children.size());
        const double* before = adjoint;  // adjoint * prod_{c' < c}
        std::vector<const double*>& prefix = prefixes_.emplace_back();
        for (int c = 0; c < m; ++c) {
          prefix.push_back(before);
          if (c + 1 == m) break;
          const double* v = Slot(nodes_[node.children[c]].value_slot);
          double* next = Slot(node.first_slot + c);
          const double* b = before;
          pair::Map(size, next, [=](int k) { return hn::Mul(pair::Load(b, k), pair::Load(v, k)); });
          before = next;
        }
        const std::vector<const double*> pre = std::move(prefix);
        prefixes_.pop_back();
        double* after = Slot(node.first_slot + m);      // prod_{c' > c}
        double* child = Slot(node.first_slot + m + 1);  // adjoint of c
        for (int c = m - 1; c >= 0; --c) {
          const double* p = pre[c];
          const double* v = Slot(nodes_[node.children[c]].value_slot);
          if (c == m - 1) {
            BackwardNode(block, nodes_[node.children[c]], p, gradient);
            pair::Map(size, after, [=](int k) { return pair::Load(v, k); });
            continue;
          }
          pair::Map(size, child, [=](int k) { return hn::Mul(pair::Load(p, k), pair::Load(after, k)); });
          BackwardNode(block, nodes_[node.children[c]], child, gradient);
          if (c > 0) pair::Map(size, after, [=](int k) { return hn::Mul(pair::Load(after, k), pair::Load(v, k)); });
        }
        return;
      }
    }
  }

  void BackwardMonomial(const Block& block, const Node& node, const double* adjoint, double* gradient) {
    namespace hn = pair::hn;
    const pair::D d;
    const int size = block.size;
    const double* value = Slot(node.value_slot);
    // forward: value = exp(sum log v - sum q) ..., so d value / d log v = value and d value / d log l = 2 q value (SE,
    // PER).
    bool have_sum = false;
    double sum = 0;
    for (int l : node.leaves) {
      const Leaf& leaf = leaves_[l];
      if (leaf.symbol == Elementary::kLIN) continue;
      const double* q = Slot(leaf.slot);
      double* g = gradient + leaf.parameter;
      if (!have_sum) {
        sum = pair::Reduce(size, [=](int k) { return hn::Mul(pair::Load(adjoint, k), pair::Load(value, k)); });
        have_sum = true;
      }
      g[0] += sum;
      if (leaf.symbol == Elementary::kMAT52) {
        // forward: (1 + s + s^2/3) exp(-s); d/d log l = (s^2/3)(1 + s) exp(-s)
        const pair::V one = hn::Set(d, 1.0), third = hn::Set(d, 1.0 / 3);
        g[1] += pair::Reduce(size, [=](int k) {
          const pair::V s = pair::Load(q, k);
          const pair::V s2 = hn::Mul(hn::Mul(s, s), third);
          const pair::V ratio = hn::Div(hn::MulAdd(s2, s, s2), hn::Add(hn::Add(s2, s), one));
          return hn::Mul(hn::Mul(pair::Load(adjoint, k), pair::Load(value, k)), ratio);
        });
        continue;
      }
      g[1] += 2 * pair::Reduce(size, [=](int k) {
                return hn::Mul(hn::Mul(pair::Load(adjoint, k), pair::Load(value, k)), pair::Load(q, k));
              });
      if (leaf.symbol == Elementary::kPER) {
        // forward: q = sin^2(h) / (2 l^2), h = pi (x - x') / p; d value / d log p = value * h sin h cos h / l^2
        double* w = Slot(leaf.extra_slot);
        pair::PeriodFactor(block, Left(leaf, 0), Left(leaf, 1), Left(leaf, 2), Right(leaf, 0), Right(leaf, 1),
                           Right(leaf, 2), PeriodicScale(leaf), w);
        g[2] += pair::Reduce(size, [=](int k) {
          return hn::Mul(hn::Mul(pair::Load(adjoint, k), pair::Load(value, k)), pair::Load(w, k));
        });
      }
    }
    BackwardLinear(block, node, adjoint, gradient);
  }

  // forward: value = rest * prod_m LIN_m. LIN may be zero, so the others' product is built, not divided out.
  void BackwardLinear(const Block& block, const Node& node, const double* adjoint, double* gradient) {
    namespace hn = pair::hn;
    const int size = block.size;
    std::vector<int> linears;
    for (int l : node.leaves) {
      if (leaves_[l].symbol == Elementary::kLIN) linears.push_back(l);
    }
    if (linears.empty()) return;
    const pair::D d;
    const int m = static_cast<int>(linears.size());
    const double* rest = Slot(node.exp_slot);
    double* before = Slot(node.first_slot);
    pair::Map(size, before, [=](int k) { return hn::Mul(pair::Load(adjoint, k), pair::Load(rest, k)); });
    for (int c = 0; c + 1 < m; ++c) {
      const double* b = Slot(node.first_slot + c);
      const double* v = Slot(leaves_[linears[c]].slot);
      pair::Map(size, Slot(node.first_slot + c + 1),
                [=](int k) { return hn::Mul(pair::Load(b, k), pair::Load(v, k)); });
    }
    double* after = Slot(node.first_slot + m);
    pair::Map(size, after, [=](int) { return hn::Set(d, 1.0); });
    for (int c = m - 1; c >= 0; --c) {
      const Leaf& leaf = leaves_[linears[c]];
      const double* b = Slot(node.first_slot + c);
      const double* v = Slot(leaf.slot);
      const double offset = std::exp(log_p_[leaf.parameter + 1]);
      const double all = pair::Reduce(size, [=](int k) { return hn::Mul(pair::Load(b, k), pair::Load(after, k)); });
      const double lin = pair::Reduce(
          size, [=](int k) { return hn::Mul(hn::Mul(pair::Load(b, k), pair::Load(after, k)), pair::Load(v, k)); });
      gradient[leaf.parameter] += lin - offset * all;  // LIN - c = v x x'
      gradient[leaf.parameter + 1] += offset * all;
      if (c > 0) pair::Map(size, after, [=](int k) { return hn::Mul(pair::Load(after, k), pair::Load(v, k)); });
    }
  }

  const std::vector<Leaf>& leaves_;
  const std::vector<Node>& nodes_;
  const double* log_p_;
  const double* left_;
  const double* right_;
  int left_stride_;
  int right_stride_;
  double* slots_;
  std::vector<std::vector<const double*>> prefixes_;
};

// Calls visit(block) for consecutive blocks of the pairs (i, j), i in [first_row(j), rows), j in [0, columns).
template <typename FirstRow, typename Visit>
void ForEachBlock(int rows, int columns, FirstRow first_row, Visit visit) {
  Block block;
  for (int j = 0; j < columns; ++j) {
    for (int i = first_row(j); i < rows;) {
      const int length = std::min(rows - i, kBlock - block.size);
      block.runs.push_back({j, i, length, block.size});
      block.size += length;
      i += length;
      if (block.size == kBlock) {
        visit(block);
        block.runs.clear();
        block.size = 0;
      }
    }
  }
  if (block.size > 0) visit(block);
}

void Store(const Block& block, const double* values, Matrix& K) {
  for (const pair::Run& run : block.runs) {
    std::copy_n(values + run.offset, run.length, &K.coeffRef(run.row, run.column));
  }
}

}  // namespace

Covariance::Covariance(const Expression& expression) : program_(std::make_unique<Program>(expression)) {}
Covariance::~Covariance() = default;
Covariance::Covariance(Covariance&&) noexcept = default;
Covariance& Covariance::operator=(Covariance&&) noexcept = default;

int Covariance::num_parameters() const { return program_->num_parameters; }
const Expression& Covariance::expression() const { return program_->expression; }

void Covariance::Gram(const Matrix& X, const double* log_parameters, Matrix& K, CovarianceScratch& scratch) const {
  const int n = static_cast<int>(X.rows());
  INSTANTGP_CHECK(K.rows() == n && K.cols() == n);
  scratch.points.resize(static_cast<std::size_t>(program_->num_tables) * (n + kPadding));
  scratch.block.resize(static_cast<std::size_t>(program_->num_slots) * kSlot);
  const int stride = FillTables(program_->leaves, X, log_parameters, scratch.points.data());
  BlockEvaluator evaluate(program_->leaves, program_->nodes, log_parameters, scratch.points.data(), stride,
                          scratch.points.data(), stride, scratch.block.data());
  ForEachBlock(
      n, n, [](int j) { return j; }, [&](const Block& block) { Store(block, evaluate.Forward(block), K); });
}

void Covariance::Cross(const Matrix& A, const Matrix& B, const double* log_parameters, Matrix& K,
                       CovarianceScratch& scratch) const {
  const int rows = static_cast<int>(A.rows()), columns = static_cast<int>(B.rows());
  K.resize(rows, columns);
  const std::size_t left = static_cast<std::size_t>(program_->num_tables) * (rows + kPadding);
  scratch.points.resize(left + static_cast<std::size_t>(program_->num_tables) * (columns + kPadding));
  scratch.block.resize(static_cast<std::size_t>(program_->num_slots) * kSlot);
  const int left_stride = FillTables(program_->leaves, A, log_parameters, scratch.points.data());
  const int right_stride = FillTables(program_->leaves, B, log_parameters, scratch.points.data() + left);
  BlockEvaluator evaluate(program_->leaves, program_->nodes, log_parameters, scratch.points.data(), left_stride,
                          scratch.points.data() + left, right_stride, scratch.block.data());
  ForEachBlock(
      rows, columns, [](int) { return 0; }, [&](const Block& block) { Store(block, evaluate.Forward(block), K); });
}

void Covariance::Contract(const Matrix& X, const double* log_parameters, const Matrix& W, double* gradient,
                          CovarianceScratch& scratch) const {
  const int n = static_cast<int>(X.rows());
  INSTANTGP_CHECK(W.rows() == n && W.cols() == n);
  scratch.points.resize(static_cast<std::size_t>(program_->num_tables) * (n + kPadding));
  scratch.block.resize(static_cast<std::size_t>(program_->num_slots) * kSlot);
  const int stride = FillTables(program_->leaves, X, log_parameters, scratch.points.data());
  BlockEvaluator evaluate(program_->leaves, program_->nodes, log_parameters, scratch.points.data(), stride,
                          scratch.points.data(), stride, scratch.block.data());
  std::fill(gradient, gradient + program_->num_parameters, 0.0);
  double* adjoint = evaluate.Slot(0);
  ForEachBlock(
      n, n, [](int j) { return j; },
      [&](const Block& block) {
        evaluate.Forward(block);
        for (const pair::Run& run : block.runs) {
          std::copy_n(&W.coeffRef(run.row, run.column), run.length, adjoint + run.offset);
        }
        evaluate.Backward(block, adjoint, gradient);
      });
}

void Covariance::Diagonal(const Matrix& X, const double* log_parameters, Vector& out) const {
  // k(x, x): every stationary kernel is its variance.
  std::vector<double> value(program_->nodes.size());
  out.resize(X.rows());
  for (Index i = 0; i < X.rows(); ++i) {
    for (std::size_t k = 0; k < program_->nodes.size(); ++k) {
      const Node& node = program_->nodes[k];
      double v = node.kind == Node::Kind::kSum ? 0.0 : 1.0;
      for (int l : node.leaves) {
        const Leaf& leaf = program_->leaves[l];
        const double* log_p = log_parameters + leaf.parameter;
        const double x = X(i, leaf.column);
        v *= leaf.symbol == Elementary::kLIN ? std::exp(log_p[0]) * x * x + std::exp(log_p[1]) : std::exp(log_p[0]);
      }
      for (int c : node.children) v = node.kind == Node::Kind::kSum ? v + value[c] : v * value[c];
      value[k] = v;
    }
    out[i] = value.back();
  }
}

}  // namespace instantgp

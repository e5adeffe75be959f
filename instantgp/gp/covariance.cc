#include "instantgp/gp/covariance.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "instantgp/base/check.h"
#include "instantgp/base/resize.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/block_evaluator.h"
#include "instantgp/gp/pair_ops.h"
#include "instantgp/gp/program.h"
#include "instantgp/gp/value_evaluator.h"

namespace instantgp {
namespace {

using pair::Block;
using pair::kBlock;
using pair::kPadding;

constexpr int kTwoPartPairsSize = 96;  // a pair costs a dozen exponentials and more: worth a second thread early

// What x is multiplied by in a leaf's tables: u = x / (sqrt(2) l), u = sqrt(5) x / l, u = x / l, x, h = pi x / p.
double PointScale(const ProgramLeaf& leaf, const double* log_parameters) {
  const double* log_p = log_parameters + leaf.parameter;
  switch (leaf.symbol) {
    case Elementary::kSE:
      return std::exp(-log_p[1]) / std::numbers::sqrt2;
    case Elementary::kMAT52:
      return std::sqrt(5.0) * std::exp(-log_p[1]);
    case Elementary::kMAT12:
    case Elementary::kIOU:
      return std::exp(-log_p[1]);
    case Elementary::kPER:
      return std::numbers::pi * std::exp(-log_p[2]);
    case Elementary::kLIN:
    case Elementary::kWIE:
    case Elementary::kBIAS:
      return 1;
  }
  return 1;
}

// Per-point tables of all leaves for the rows of X; table t starts at t * stride.
PointTables FillTables(const Program& program, const Matrix& X, const double* log_parameters, double* tables) {
  const int n = static_cast<int>(X.rows()), stride = n + kPadding;
  for (const ProgramLeaf& leaf : program.leaves) {
    INSTANTGP_CHECK(leaf.column < X.cols());
    const double* x = X.data() + static_cast<std::ptrdiff_t>(leaf.column) * n;
    double* t = tables + static_cast<std::ptrdiff_t>(leaf.table) * stride;
    std::fill(t, t + static_cast<std::ptrdiff_t>(NumTables(leaf.symbol)) * stride, 0.0);
    const double scale = PointScale(leaf, log_parameters);
    switch (leaf.symbol) {
      case Elementary::kSE:
      case Elementary::kMAT52:
      case Elementary::kMAT12:
      case Elementary::kWIE:
        for (int i = 0; i < n; ++i) t[i] = x[i] * scale;
        break;
      case Elementary::kLIN: {
        const double v = std::exp(log_parameters[leaf.parameter]);
        for (int i = 0; i < n; ++i) {
          t[i] = x[i];
          t[stride + i] = v * x[i];
        }
        break;
      }
      case Elementary::kPER:
        for (int i = 0; i < n; ++i) {
          const double h = x[i] * scale;
          t[i] = std::sin(h);
          t[stride + i] = std::cos(h);
          t[2 * stride + i] = h;
        }
        break;
      case Elementary::kIOU:
        for (int i = 0; i < n; ++i) {
          const double u = x[i] * scale;
          t[i] = u;
          t[stride + i] = pair::IouF(std::abs(u));
          t[2 * stride + i] = pair::IouG(std::abs(u));
          t[3 * stride + i] = std::copysign(-std::expm1(-std::abs(u)), u);
        }
        break;
      case Elementary::kBIAS:
        break;
    }
  }
  return {tables, stride};
}

// Calls visit(block) for consecutive blocks of the pairs (i, j), i in [first_row(j), rows), j in [first, last).
template <typename FirstRow, typename Visit>
void ForEachBlock(int rows, int first, int last, FirstRow first_row, Visit visit) {
  Block block;
  for (int j = first; j < last; ++j) {
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

// Calls visit(part, first, last) for the columns of a lower triangle: in one part, or from `two_part_size` rows on in
// two of equal area, on two threads if there is a pool. The parts do not depend on the threads.
template <typename Visit>
void ForEachPart(int n, int two_part_size, ThreadPool* pool, Visit visit) {
  if (n < two_part_size) {
    visit(0, 0, n);
    return;
  }
  const int middle = static_cast<int>(n * (1 - std::numbers::sqrt2 / 2));
  const auto part = [&](int k) { k == 0 ? visit(0, 0, middle) : visit(1, middle, n); };
  if (pool != nullptr) {
    pool->Run(2, [&](int k, int) { part(k); });
  } else {
    part(0);
    part(1);
  }
}

void Store(const Block& block, const double* values, Matrix& K) {
  for (const pair::Run& run : block.runs) {
    std::copy_n(values + run.offset, run.length, &K.coeffRef(run.row, run.column));
  }
}

void CopyBlock(const Matrix& W, const Block& block, double* values) {
  for (const pair::Run& run : block.runs) {
    std::copy_n(&W.coeffRef(run.row, run.column), run.length, values + run.offset);
  }
}

std::size_t TableSize(const Program& program, Index rows) {
  return static_cast<std::size_t>(program.num_tables) * static_cast<std::size_t>(rows + kPadding);
}

std::ptrdiff_t SlotsSize(const Program& program) { return static_cast<std::ptrdiff_t>(program.num_slots) * kSlotSize; }

std::ptrdiff_t ValueSlotsSize(const Program& program) {
  return static_cast<std::ptrdiff_t>(ValueEvaluator::NumSlots(program)) * kSlotSize;
}

// Room for two parts. It only grows: values and gradients take turns.
double* Room(std::ptrdiff_t part_size, CovarianceScratch& scratch) {
  const auto size = 2 * static_cast<std::size_t>(part_size);
  if (scratch.block.size() < size) scratch.block.resize(size);
  return scratch.block.data();
}

double* ValueSlots(const Program& program, CovarianceScratch& scratch) {
  return Room(ValueSlotsSize(program), scratch);
}

double* Slots(const Program& program, CovarianceScratch& scratch) { return Room(SlotsSize(program), scratch); }

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
  scratch.points.resize(TableSize(*program_, n));
  const PointTables points = FillTables(*program_, X, log_parameters, scratch.points.data());
  double* slots = ValueSlots(*program_, scratch);
  ForEachPart(n, kTwoPartPairsSize, scratch.pool, [&](int part, int first, int last) {
    ValueEvaluator evaluate(*program_, log_parameters, points, points, slots + part * ValueSlotsSize(*program_));
    ForEachBlock(
        n, first, last, [](int j) { return j; },
        [&](const Block& block) { Store(block, evaluate.Evaluate(block), K); });
  });
}

void Covariance::Cross(const Matrix& A, const Matrix& B, const double* log_parameters, Matrix& K,
                       CovarianceScratch& scratch) const {
  Resize(K, A.rows(), B.rows());
  const std::size_t left_size = TableSize(*program_, A.rows());
  scratch.points.resize(left_size + TableSize(*program_, B.rows()));
  const PointTables left = FillTables(*program_, A, log_parameters, scratch.points.data());
  const PointTables right = FillTables(*program_, B, log_parameters, scratch.points.data() + left_size);
  ValueEvaluator evaluate(*program_, log_parameters, left, right, ValueSlots(*program_, scratch));
  ForEachBlock(
      static_cast<int>(A.rows()), 0, static_cast<int>(B.rows()), [](int) { return 0; },
      [&](const Block& block) { Store(block, evaluate.Evaluate(block), K); });
}

void Covariance::Contract(const Matrix& X, const double* log_parameters, const Matrix& W, double* gradient,
                          CovarianceScratch& scratch) const {
  const int n = static_cast<int>(X.rows());
  INSTANTGP_CHECK(W.rows() == n && W.cols() == n);
  scratch.points.resize(TableSize(*program_, n));
  const PointTables points = FillTables(*program_, X, log_parameters, scratch.points.data());
  double* slots = Slots(*program_, scratch);
  const std::size_t p = static_cast<std::size_t>(program_->num_parameters);
  std::vector<double> sums(2 * p, 0.0);  // of each part
  ForEachPart(n, kTwoPartPairsSize, scratch.pool, [&](int part, int first, int last) {
    BlockEvaluator evaluate(*program_, log_parameters, points, points, slots + part * SlotsSize(*program_));
    double* adjoint = evaluate.Slot(0);
    ForEachBlock(
        n, first, last, [](int j) { return j; },
        [&](const Block& block) {
          evaluate.Forward(block);
          CopyBlock(W, block, adjoint);
          evaluate.Backward(block, adjoint, sums.data() + static_cast<std::size_t>(part) * p);
        });
  });
  for (std::size_t k = 0; k < p; ++k) gradient[k] = sums[k] + sums[p + k];
  ShareVariances(*program_, [&](int first, int other) { gradient[other] = gradient[first]; });
}

void Covariance::ContractAndMultiply(const Matrix& X, const double* log_parameters, const Matrix& W, const Vector& a,
                                     double* gradient, Matrix& products, CovarianceScratch& scratch) const {
  const int n = static_cast<int>(X.rows());
  INSTANTGP_CHECK(W.rows() == n && W.cols() == n && a.size() == n);
  const std::ptrdiff_t p = program_->num_parameters, stride = n + kPadding;
  const std::size_t table_size = TableSize(*program_, n);
  scratch.points.resize(table_size + static_cast<std::size_t>(stride));
  const PointTables points = FillTables(*program_, X, log_parameters, scratch.points.data());
  double* padded = scratch.points.data() + table_size;
  std::fill(std::copy_n(a.data(), n, padded), padded + stride, 0.0);
  double* slots = Slots(*program_, scratch);
  // Of each part: the gradient, then the products.
  const std::ptrdiff_t part_size = p * (stride + 1);
  const int parts = n < kTwoPartPairsSize ? 1 : 2;
  scratch.products.assign(static_cast<std::size_t>(parts * part_size), 0.0);
  ForEachPart(n, kTwoPartPairsSize, scratch.pool, [&](int part, int first, int last) {
    BlockEvaluator evaluate(*program_, log_parameters, points, points, slots + part * SlotsSize(*program_));
    double* weights = evaluate.Slot(1);
    double* sums = scratch.products.data() + part * part_size;
    const DerivativeProducts into{weights, padded, sums, sums + p, stride};
    ForEachBlock(
        n, first, last, [](int j) { return j; },
        [&](const Block& block) {
          evaluate.Forward(block);
          CopyBlock(W, block, weights);
          evaluate.Backward(block, into);
        });
  });
  Resize(products, n, p);
  for (std::ptrdiff_t k = 0; k < p; ++k) {
    const double* sums = scratch.products.data();
    gradient[k] = sums[k];
    products.col(k) = Eigen::Map<const Vector>(sums + p + k * stride, n);
    if (parts == 1) continue;
    gradient[k] += sums[part_size + k];
    products.col(k) += Eigen::Map<const Vector>(sums + part_size + p + k * stride, n);
  }
  ShareVariances(*program_, [&](int first, int other) {
    gradient[other] = gradient[first];
    products.col(other) = products.col(first);
  });
}

void Covariance::ContractCross(const Matrix& A, const Matrix& B, const double* log_parameters, const Matrix& W,
                               double* gradient, Matrix& B_gradient, CovarianceScratch& scratch) const {
  const int rows = static_cast<int>(A.rows()), columns = static_cast<int>(B.rows());
  INSTANTGP_CHECK(W.rows() == rows && W.cols() == columns);
  INSTANTGP_CHECK(B_gradient.rows() == B.rows() && B_gradient.cols() == B.cols());
  const std::size_t left_size = TableSize(*program_, rows), right_size = TableSize(*program_, columns);
  const std::size_t stride = static_cast<std::size_t>(columns + kPadding);
  scratch.points.resize(left_size + right_size + program_->leaves.size() * stride);
  const PointTables left = FillTables(*program_, A, log_parameters, scratch.points.data());
  const PointTables right = FillTables(*program_, B, log_parameters, scratch.points.data() + left_size);
  double* points = scratch.points.data() + left_size + right_size;
  std::fill(points, scratch.points.data() + scratch.points.size(), 0.0);
  BlockEvaluator evaluate(*program_, log_parameters, left, right, Slots(*program_, scratch));
  double* adjoint = evaluate.Slot(0);
  std::vector<double> sums(static_cast<std::size_t>(program_->num_parameters), 0.0);
  ForEachBlock(
      rows, 0, columns, [](int) { return 0; },
      [&](const Block& block) {
        evaluate.Forward(block);
        CopyBlock(W, block, adjoint);
        evaluate.Backward(block, adjoint, sums.data(), points);
      });
  ShareVariances(*program_, [&](int first, int other) { sums[other] = sums[first]; });
  for (std::size_t k = 0; k < sums.size(); ++k) gradient[k] += sums[k];
  for (std::size_t l = 0; l < program_->leaves.size(); ++l) {
    const ProgramLeaf& leaf = program_->leaves[l];
    const Eigen::Map<const Vector> derivatives(points + l * stride, columns);
    B_gradient.col(leaf.column) += PointScale(leaf, log_parameters) * derivatives;
  }
}

}  // namespace instantgp

#include "instantgp/forecast/grid_likelihood.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/base/normal.h"
#include "instantgp/gp/cholesky.h"
#include "instantgp/gp/integrated_ou.h"
#include "instantgp/kernel/parameters.h"

namespace instantgp {

GridLikelihood::GridLikelihood(const Expression& kernel, std::vector<int> times, double unit)
    : times_(std::move(times)), lags_(times_.back() + 1), unit_(unit) {
  INSTANTGP_CHECK(times_.front() == 0);
  const Index n = static_cast<Index>(times_.size());
  gapless_ = lags_ == n;
  x_.resize(n);
  for (Index i = 0; i < n; ++i) x_[i] = times_[static_cast<std::size_t>(i)] / unit;
  const std::vector<Expression> terms = kernel.op == Expression::Op::kSum ? kernel.terms : std::vector{kernel};
  for (const Expression& term : terms) {
    Addend addend{Addend::Kind::kStationary, {term}, parameters_};
    if (term.op == Expression::Op::kProduct) addend.factors = term.terms;
    for (const Expression& leaf : addend.factors) {
      INSTANTGP_CHECK(leaf.op == Expression::Op::kLeaf);
      const bool alone = addend.factors.size() == 1;
      switch (leaf.symbol) {
        case Elementary::kSE:
        case Elementary::kPER:
        case Elementary::kMAT52:
        case Elementary::kMAT12:
          break;
        case Elementary::kLIN:
          addend.kind = Addend::Kind::kLinear;
          INSTANTGP_CHECK(alone);
          break;
        case Elementary::kWIE:
          addend.kind = Addend::Kind::kWalk;
          INSTANTGP_CHECK(alone);
          break;
        case Elementary::kIOU:
          addend.kind = Addend::Kind::kDamped;
          INSTANTGP_CHECK(alone && damped_f_.size() == 0);  // one is enough
          damped_f_ = damped_g_ = Vector::Zero(n);
          break;
        case Elementary::kBIAS:
          addend.kind = Addend::Kind::kBias;
          INSTANTGP_CHECK(alone);
          break;
      }
    }
    addends_.push_back(std::move(addend));
    parameters_ += NumParameters(term);
  }
}

// c = prod v_m exp(-q_m) (times MAT52's polynomial), d c / d log v = c, and d c / d log l as in gp/block_evaluator.cc.
// Periods are fixed: their column stays zero.
void GridLikelihood::TabulateStationary(const Addend& addend, const LogParameters& theta) {
  Eigen::ArrayXd value = Eigen::ArrayXd::Ones(lags_);
  const Eigen::ArrayXd r = Eigen::ArrayXd::LinSpaced(lags_, 0, static_cast<double>(lags_ - 1)) / unit_;
  std::vector<std::pair<Index, Eigen::ArrayXd>> relative;  // d log c / d log l of each lengthscale
  std::vector<Index> variances;
  Index row = addend.first;
  for (const Expression& leaf : addend.factors) {
    variances.push_back(row);
    const double l = std::exp(theta[row + 1]);
    value *= std::exp(theta[row]);
    switch (leaf.symbol) {
      case Elementary::kSE: {
        const Eigen::ArrayXd q = r.square() / (2 * l * l);
        value *= (-q).exp();
        relative.emplace_back(row + 1, 2 * q);
        break;
      }
      case Elementary::kPER: {
        const Eigen::ArrayXd q = (std::numbers::pi / std::exp(theta[row + 2]) * r).sin().square() / (2 * l * l);
        value *= (-q).exp();
        relative.emplace_back(row + 1, 2 * q);
        break;
      }
      case Elementary::kMAT52: {
        const Eigen::ArrayXd s = std::sqrt(5.0) / l * r, polynomial = 1 + s + s.square() / 3;
        value *= polynomial * (-s).exp();
        relative.emplace_back(row + 1, s.square() * (1 + s) / (3 * polynomial));
        break;
      }
      default:  // MAT12
        value *= (-r / l).exp();
        relative.emplace_back(row + 1, r / l);
        break;
    }
    row += static_cast<Index>(ParametersOf(leaf.symbol).size());
  }
  stationary_.array() += value;
  for (const Index place : variances) by_row_.col(place) = value;
  for (const auto& [place, slope] : relative) by_row_.col(place) = value * slope;
}

void GridLikelihood::Tabulate(const LogParameters& theta) {
  stationary_ = Vector::Zero(lags_);
  by_row_ = Matrix::Zero(lags_, parameters_);
  slope_variance_ = level_variance_ = walk_variance_ = damped_amplitude_ = 0;
  for (const Addend& addend : addends_) {
    const double variance = std::exp(theta[addend.first]);
    switch (addend.kind) {
      case Addend::Kind::kStationary:
        TabulateStationary(addend, theta);
        break;
      case Addend::Kind::kLinear:
        slope_variance_ += variance;
        level_variance_ += std::exp(theta[addend.first + 1]);
        break;
      case Addend::Kind::kWalk:
        walk_variance_ += variance;
        break;
      case Addend::Kind::kBias:
        level_variance_ += variance;
        break;
      case Addend::Kind::kDamped: {
        const double l = std::exp(theta[addend.first + 1]);
        damped_amplitude_ = variance * l * l;
        for (Index k = 0; k < lags_; ++k) {
          const double s = static_cast<double>(k) / unit_ / l;
          by_row_(k, addend.first) = -damped_amplitude_ * pair::IouF(s);
          by_row_(k, addend.first + 1) = -damped_amplitude_ * pair::IouG(s);
        }
        stationary_ += by_row_.col(addend.first);
        for (Index i = 0; i < x_.size(); ++i) {
          const Index place = times_[static_cast<std::size_t>(i)];
          damped_f_[i] = -by_row_(place, addend.first);
          damped_g_[i] = -by_row_(place, addend.first + 1);
        }
        break;
      }
    }
  }
}

void GridLikelihood::Fill(Matrix& A, double noise) const {
  const Index n = x_.size();
  for (Index j = 0; j < n; ++j) {
    auto column = A.col(j).tail(n - j);
    if (gapless_) {
      column = stationary_.head(n - j);
    } else {
      for (Index i = j; i < n; ++i) {
        A(i, j) = stationary_[times_[static_cast<std::size_t>(i)] - times_[static_cast<std::size_t>(j)]];
      }
    }
    const double own = level_variance_ + walk_variance_ * x_[j] + (damped_f_.size() > 0 ? damped_f_[j] : 0);
    column.array() += own + slope_variance_ * x_[j] * x_.tail(n - j).array();
    if (damped_f_.size() > 0) column += damped_f_.tail(n - j);
    A(j, j) += noise;
  }
}

bool GridLikelihood::Value(const LogParameters& theta, const Vector& z, double* nlml) {
  const Index n = x_.size();
  INSTANTGP_CHECK(z.size() == n && theta.size() == parameters_ + 1);
  theta_ = theta;
  if (!theta.allFinite()) return false;
  Tabulate(theta);
  A_.resize(n, n);
  const auto build = [&](Matrix& A) { Fill(A, std::exp(theta.noise())); };
  build(A_);
  if (!Factorize(A_, build).ok) return false;
  alpha_ = z;
  SolveLower(A_, alpha_);
  *nlml = (0.5 * alpha_.squaredNorm() + A_.diagonal().array().log().sum()) / static_cast<double>(n) + kHalfLog2Pi;
  return std::isfinite(*nlml);
}

void GridLikelihood::Convolve(const Vector& table, const Vector& a, Eigen::Ref<Vector> out) const {
  // out_i = sum_m e[i + m] b[m] with e the table to both sides and b the values backwards, zero at gaps
  Vector e(2 * lags_ - 1), b = Vector::Zero(lags_);
  e.tail(lags_) = table;
  e.head(lags_) = table.reverse();
  for (Index i = 0; i < a.size(); ++i) b[lags_ - 1 - times_[static_cast<std::size_t>(i)]] = a[i];
  for (Index i = 0; i < a.size(); ++i) out[i] = e.segment(times_[static_cast<std::size_t>(i)], lags_).dot(b);
}

bool GridLikelihood::Slopes(Vector* gradient, Matrix* curvature) {
  const Index n = x_.size();
  const double count = static_cast<double>(n), noise = std::exp(theta_.noise());
  SolveLowerTransposed(A_, alpha_);

  // D_p alpha, column by column
  Matrix D = Matrix::Zero(n, parameters_ + 1);
  const double sum = alpha_.sum();
  for (const Addend& addend : addends_) {
    const Index row = addend.first;
    switch (addend.kind) {
      case Addend::Kind::kStationary: {
        Index place = row, first_variance = row;
        for (const Expression& leaf : addend.factors) {
          if (place == first_variance) {
            Convolve(by_row_.col(place), alpha_, D.col(place));
          } else {
            D.col(place) = D.col(first_variance);  // every factor's variance does the same
          }
          Convolve(by_row_.col(place + 1), alpha_, D.col(place + 1));
          place += static_cast<Index>(ParametersOf(leaf.symbol).size());
        }
        break;
      }
      case Addend::Kind::kLinear:
        D.col(row) = std::exp(theta_[row]) * x_.dot(alpha_) * x_;
        D.col(row + 1).setConstant(std::exp(theta_[row + 1]) * sum);
        break;
      case Addend::Kind::kWalk: {
        double before = 0, after = sum;  // sum_{j <= i} x_j alpha_j and sum_{j > i} alpha_j
        for (Index i = 0; i < n; ++i) {
          before += x_[i] * alpha_[i];
          after -= alpha_[i];
          D(i, row) = std::exp(theta_[row]) * (before + x_[i] * after);
        }
        break;
      }
      case Addend::Kind::kBias:
        D.col(row).setConstant(std::exp(theta_[row]) * sum);
        break;
      case Addend::Kind::kDamped:
        for (Index k = 0; k < 2; ++k) {
          const Vector& own = k == 0 ? damped_f_ : damped_g_;
          Convolve(by_row_.col(row + k), alpha_, D.col(row + k));
          D.col(row + k).array() += own.dot(alpha_);
          D.col(row + k) += sum * own;
        }
        break;
    }
  }
  D.col(parameters_) = noise * alpha_;
  const Vector fit = D.transpose() * alpha_;  // alpha^T D_p alpha
  SolveLower(A_, D);
  curvature->noalias() = D.transpose() * D * (0.5 / count);

  // gradient = (tr(A^-1 D_p) - alpha^T D_p alpha) / 2n: sums of A^-1 over lags, rows and columns
  InvertFromFactor(A_);
  Vector by_lag = Vector::Zero(lags_), by_point = Vector::Zero(n);  // of all pairs, both triangles
  double weighted = 0, all = 0, walk = 0;
  for (Index j = 0; j < n; ++j) {
    auto column = A_.col(j).tail(n - j);
    if (gapless_) {
      by_lag.head(n - j) += column;
    } else {
      for (Index i = j; i < n; ++i) {
        by_lag[times_[static_cast<std::size_t>(i)] - times_[static_cast<std::size_t>(j)]] += A_(i, j);
      }
    }
    const double below = column.sum() - A_(j, j), own = A_(j, j);
    by_point[j] += own + below;
    by_point.tail(n - j - 1) += column.tail(n - j - 1);
    all += own + 2 * below;
    walk += x_[j] * (own + 2 * below);  // min(x_i, x_j) = x_j for i >= j
    weighted += x_[j] * (2 * column.dot(x_.tail(n - j)) - own * x_[j]);
  }
  by_lag.tail(lags_ - 1) *= 2;
  gradient->resize(parameters_ + 1);
  for (Index p = 0; p < parameters_; ++p) (*gradient)[p] = by_lag.dot(by_row_.col(p));
  for (const Addend& addend : addends_) {
    const Index row = addend.first;
    switch (addend.kind) {
      case Addend::Kind::kStationary:
        break;
      case Addend::Kind::kLinear:
        (*gradient)[row] = std::exp(theta_[row]) * weighted;
        (*gradient)[row + 1] = std::exp(theta_[row + 1]) * all;
        break;
      case Addend::Kind::kWalk:
        (*gradient)[row] = std::exp(theta_[row]) * walk;
        break;
      case Addend::Kind::kBias:
        (*gradient)[row] = std::exp(theta_[row]) * all;
        break;
      case Addend::Kind::kDamped:
        (*gradient)[row] += 2 * damped_f_.dot(by_point);
        (*gradient)[row + 1] += 2 * damped_g_.dot(by_point);
        break;
    }
  }
  (*gradient)[parameters_] = noise * A_.diagonal().sum();
  *gradient = (*gradient - fit) / (2 * count);
  return gradient->allFinite() && curvature->allFinite();
}

}  // namespace instantgp

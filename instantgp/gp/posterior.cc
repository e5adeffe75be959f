#include "instantgp/gp/posterior.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/base/error.h"
#include "instantgp/base/normal.h"
#include "instantgp/gp/cholesky.h"
#include "instantgp/gp/lapack.h"

namespace instantgp {
namespace {

constexpr Index kRowsAtATime = 256;  // test rows predicted at a time: memory O(n * kRowsAtATime)

}  // namespace

Posterior::Posterior(Expression expression, Matrix X, Vector y, LogParameters theta)
    : covariance_(expression), X_(std::move(X)), y_(std::move(y)), theta_(std::move(theta)) {
  const Index n = X_.rows();
  INSTANTGP_CHECK(n > 0 && y_.size() == n && theta_.size() == covariance_.num_parameters() + 1);
  CovarianceScratch scratch;
  L_.resize(n, n);
  const auto build = [&](Matrix& A) {
    covariance_.Gram(X_, theta_.data(), A, scratch);
    A.diagonal().array() += noise_variance();
  };
  build(L_);
  const Factorization factor = Factorize(L_, build);
  if (!factor.ok) {
    throw Error(ErrorCode::kNumerical,
                "cannot factorise the covariance of " + std::to_string(n) + " rows: " + factor.reason +
                    ". Look for duplicate rows or extreme values, or fit by the method map, whose priors keep the "
                    "parameters in a sensible range.",
                {{"method", "map"}});
  }
  jitter_ = factor.jitter;
  L_.triangularView<Eigen::StrictlyUpper>().setZero();
  alpha_ = y_;
  SolveLower(L_, alpha_);
  SolveLowerTransposed(L_, alpha_);
}

Posterior::Posterior(Expression expression, Matrix X, Vector y, LogParameters theta, Matrix L, Vector alpha,
                     double jitter)
    : covariance_(expression),
      X_(std::move(X)),
      y_(std::move(y)),
      theta_(std::move(theta)),
      L_(std::move(L)),
      alpha_(std::move(alpha)),
      jitter_(jitter) {
  const Index n = X_.rows();
  INSTANTGP_CHECK(n > 0 && y_.size() == n && theta_.size() == covariance_.num_parameters() + 1);
  INSTANTGP_CHECK(L_.rows() == n && L_.cols() == n && alpha_.size() == n);
}

Matrix Posterior::Conditional(const Matrix& X_new, double diagonal, Matrix& V) const {
  CovarianceScratch scratch;
  covariance_.Cross(X_, X_new, theta_.data(), V, scratch);
  SolveLower(L_, V);
  Matrix S(X_new.rows(), X_new.rows());
  covariance_.Gram(X_new, theta_.data(), S, scratch);
  S.diagonal().array() += diagonal;
  S.selfadjointView<Eigen::Lower>().rankUpdate(V.transpose(), -1.0);
  return S;
}

Posterior Posterior::Extended(const Matrix& X_new, const Vector& y_new) const {
  const Index n = X_.rows(), m = X_new.rows();
  INSTANTGP_CHECK(X_new.cols() == X_.cols() && y_new.size() == m && m > 0);
  Matrix X(n + m, X_.cols());
  X << X_, X_new;
  Vector y(n + m);
  y << y_, y_new;
  Matrix V;
  Matrix S = Conditional(X_new, noise_variance() + jitter_, V);
  // Rounding can eat up what is left of a row the model knows already; more jitter in this block alone would be another
  // model than the same rows give at once.
  if (!(S.diagonal().minCoeff() > 0)) return Posterior(expression(), std::move(X), std::move(y), theta_);
  const Matrix copy = S;
  const Factorization factor = Factorize(S, [&](Matrix& target) { target = copy; });
  if (!factor.ok || factor.jitter > 0) return Posterior(expression(), std::move(X), std::move(y), theta_);
  Matrix L = Matrix::Zero(n + m, n + m);
  L.topLeftCorner(n, n) = L_;
  L.bottomLeftCorner(m, n) = V.transpose();
  L.bottomRightCorner(m, m) = S.triangularView<Eigen::Lower>();
  Vector alpha = y;
  SolveLower(L, alpha);
  SolveLowerTransposed(L, alpha);
  return Posterior(expression(), std::move(X), std::move(y), theta_, std::move(L), std::move(alpha), jitter_);
}

void Posterior::MeanAndStd(const Matrix& X_new, Noise noise, Vector* mean, Vector* std) const {
  PartMeanAndStd(covariance_, theta_, X_new, mean, std);
  if (std != nullptr && noise == Noise::kObserved) *std = (std->array().square() + noise_variance()).sqrt();
}

void Posterior::PartMeanAndStd(const Covariance& part, const Vector& part_theta, const Matrix& X_new, Vector* mean,
                               Vector* std) const {
  INSTANTGP_CHECK(X_new.cols() == X_.cols());
  const Index m = X_new.rows();
  if (mean != nullptr) mean->resize(m);
  if (std != nullptr) part.Diagonal(X_new, part_theta.data(), *std);
  CovarianceScratch scratch;
  Matrix k;  // (n, chunk): K(X, X_new)
  for (Index first = 0; first < m; first += kRowsAtATime) {
    const Index count = std::min(kRowsAtATime, m - first);
    part.Cross(X_, X_new.middleRows(first, count), part_theta.data(), k, scratch);
    if (mean != nullptr) mean->segment(first, count).noalias() = k.transpose() * alpha_;
    if (std != nullptr) {
      SolveLower(L_, k);  // V = L^-1 k; latent variance = k** - |V|^2, clamped at 0 against rounding
      std->segment(first, count) -= k.colwise().squaredNorm().transpose();
    }
  }
  if (mean != nullptr) RequireFinite(*mean);
  if (std == nullptr) return;
  RequireFinite(*std);
  *std = std->array().max(0.0).sqrt();
}

Matrix Posterior::Cov(const Matrix& X_new, Noise noise) const {
  Matrix V;
  Matrix cov = Conditional(X_new, 0, V);
  RequireFinite(cov.diagonal());
  cov.diagonal() = cov.diagonal().array().max(0.0);
  if (noise == Noise::kObserved) cov.diagonal().array() += noise_variance();
  cov.triangularView<Eigen::StrictlyUpper>() = cov.transpose();
  RequireFinite(cov);
  return cov;
}

LeaveOneOut Posterior::Loo() const {
  const Index n = X_.rows();
  // Of A^-1 = L^-T L^-1 the diagonal alone, the squared columns of L^-1: half the work of the whole inverse.
  Matrix inverse = L_;
  lapack::PinToOneThread();
  lapack::InvertTriangle(inverse.data(), static_cast<int>(n), static_cast<int>(n));
  LeaveOneOut loo;
  loo.variance.resize(n);
  for (Index j = 0; j < n; ++j) loo.variance[j] = 1 / inverse.col(j).tail(n - j).squaredNorm();
  loo.mean = y_ - alpha_.cwiseProduct(loo.variance);
  for (Index i = 0; i < n; ++i) {
    const double residual = y_[i] - loo.mean[i];
    loo.nll -= LogNormalDensity(residual, 0, std::sqrt(loo.variance[i]));
  }
  loo.nll /= static_cast<double>(n);
  return loo;
}

double Posterior::nlml() const {
  const double n = static_cast<double>(y_.size());
  return (0.5 * y_.dot(alpha_) + L_.diagonal().array().log().sum()) / n + kHalfLog2Pi;
}

double Posterior::jitter() const { return jitter_; }
const Expression& Posterior::expression() const { return covariance_.expression(); }
const Matrix& Posterior::X() const { return X_; }
const Vector& Posterior::y() const { return y_; }
const LogParameters& Posterior::theta() const { return theta_; }
const Matrix& Posterior::L() const { return L_; }
const Vector& Posterior::alpha() const { return alpha_; }

}  // namespace instantgp

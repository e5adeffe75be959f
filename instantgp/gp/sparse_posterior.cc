#include "instantgp/gp/sparse_posterior.h"

#include <algorithm>
#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/base/error.h"
#include "instantgp/gp/cholesky.h"

namespace instantgp {
namespace {

constexpr Index kSparseRowsAtATime = 256;  // test rows predicted at a time: memory O(m * kSparseRowsAtATime)

}  // namespace

SparsePosterior::SparsePosterior(Expression expression, Matrix X, Vector y, Matrix Z, LogParameters theta)
    : covariance_(expression) {
  BoundWorkspace workspace;
  const BoundValue bound = NegativeElbo(covariance_, X, y, Z, theta, nullptr, nullptr, workspace);
  if (!bound.ok) {
    throw Error(ErrorCode::kNumerical, "cannot factorise the covariance of " + std::to_string(Z.rows()) +
                                           " inducing points: " + bound.reason + ". Use fewer inducing points.");
  }
  workspace.L.triangularView<Eigen::StrictlyUpper>().setZero();
  workspace.LB.triangularView<Eigen::StrictlyUpper>().setZero();
  parts_ = {std::move(X),           std::move(y),           std::move(Z),
            std::move(theta),       std::move(workspace.L), std::move(workspace.LB),
            std::move(workspace.c), bound.negative_elbo,    bound.jitter};
}

SparsePosterior::SparsePosterior(Expression expression, Parts parts)
    : covariance_(expression), parts_(std::move(parts)) {
  const Index n = parts_.X.rows(), m = parts_.Z.rows();
  INSTANTGP_CHECK(n > 0 && m > 0 && parts_.y.size() == n && parts_.Z.cols() == parts_.X.cols());
  INSTANTGP_CHECK(parts_.theta.size() == covariance_.num_parameters() + 1);
  INSTANTGP_CHECK(parts_.L.rows() == m && parts_.L.cols() == m && parts_.LB.rows() == m && parts_.LB.cols() == m);
  INSTANTGP_CHECK(parts_.c.size() == m);
}

void SparsePosterior::MeanAndStd(const Matrix& X_new, Noise noise, Vector* mean, Vector* std) const {
  INSTANTGP_CHECK(X_new.cols() == parts_.X.cols());
  const Index rows = X_new.rows();
  if (mean != nullptr) mean->resize(rows);
  if (std != nullptr) covariance_.Diagonal(X_new, parts_.theta.data(), *std);
  CovarianceScratch scratch;
  Matrix v;  // (m, chunk)
  for (Index first = 0; first < rows; first += kSparseRowsAtATime) {
    const Index count = std::min(kSparseRowsAtATime, rows - first);
    covariance_.Cross(parts_.Z, X_new.middleRows(first, count), parts_.theta.data(), v, scratch);
    SolveLower(parts_.L, v);
    if (mean != nullptr) mean->segment(first, count).noalias() = v.transpose() * parts_.c;
    if (std != nullptr) {
      std->segment(first, count) -= v.colwise().squaredNorm().transpose();
      SolveLower(parts_.LB, v);
      std->segment(first, count) += v.colwise().squaredNorm().transpose();
    }
  }
  if (mean != nullptr) RequireFinite(*mean);
  if (std != nullptr) {
    RequireFinite(*std);
    const double added = noise == Noise::kObserved ? noise_variance() : 0.0;
    *std = (std->array().max(0.0) + added).sqrt();
  }
}

Matrix SparsePosterior::Cov(const Matrix& X_new, Noise noise) const {
  const Index rows = X_new.rows();
  CovarianceScratch scratch;
  Matrix v, cov(rows, rows);
  covariance_.Cross(parts_.Z, X_new, parts_.theta.data(), v, scratch);
  SolveLower(parts_.L, v);
  covariance_.Gram(X_new, parts_.theta.data(), cov, scratch);
  cov.selfadjointView<Eigen::Lower>().rankUpdate(v.transpose(), -1.0);
  SolveLower(parts_.LB, v);
  cov.selfadjointView<Eigen::Lower>().rankUpdate(v.transpose(), 1.0);
  RequireFinite(cov.diagonal());
  cov.diagonal() = cov.diagonal().array().max(0.0);
  if (noise == Noise::kObserved) cov.diagonal().array() += noise_variance();
  cov.triangularView<Eigen::StrictlyUpper>() = cov.transpose();
  RequireFinite(cov);
  return cov;
}

}  // namespace instantgp

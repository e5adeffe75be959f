#include "instantgp/gp/neighbour_system.h"

#include <cmath>
#include <string>

#include "instantgp/base/resize.h"
#include "instantgp/gp/cholesky.h"

namespace instantgp {

bool NeighbourSystem::Condition(const Covariance& covariance, const LogParameters& theta, const Matrix& X,
                                const Vector& y, const std::vector<int>& rows, const double* x,
                                const LinearPart* linear) {
  const Index m = static_cast<Index>(rows.size());
  Resize(X_, m + 1, X.cols());
  for (Index c = 0; c < X.cols(); ++c) {
    const double* from = X.col(c).data();
    double* to = X_.col(c).data();
    for (Index i = 0; i < m; ++i) to[i] = from[rows[static_cast<std::size_t>(i)]];
    to[m] = x[c];
  }
  Resize(z_, m + 1);
  for (Index i = 0; i < m; ++i) z_[i] = y[rows[static_cast<std::size_t>(i)]];
  z_[m] = 0;
  linear_ = linear != nullptr && linear->size() > 0 ? linear : nullptr;
  double far = 0;  // what the regression says by itself
  if (linear_ != nullptr) {
    phi_ = linear_->Features(X_);
    gain_ = linear_->Gain(theta);
    z_.head(m) -= phi_.topRows(m) * linear_->mean;
    far = phi_.row(m).dot(linear_->mean);
  }
  const double noise = std::exp(theta.noise());
  const auto build = [&](Matrix& A) {
    covariance.Gram(X_, theta.data(), A, scratch_);
    if (linear_ != nullptr) A.triangularView<Eigen::Lower>() += (phi_ * gain_) * phi_.transpose();
    A.diagonal().array() += noise;
  };
  Resize(A_, m + 1, m + 1);
  build(A_);
  const Factorization factor = Factorize(A_, build);
  if (!factor.ok) {
    reason_ = factor.reason;
    return false;
  }
  jitter_ = factor.jitter;
  SolveLower(A_, z_);
  mean_ = far - z_[m] * A_(m, m);
  variance_ = A_(m, m) * A_(m, m);
  if (std::isfinite(mean_) && variance_ > 0) return true;
  reason_ = "the prediction from neighbours is not finite";
  return false;
}

void NeighbourSystem::AddGradient(const Covariance& covariance, const LogParameters& theta, double mean_slope,
                                  double variance_slope, Vector& gradient) {
  const Index m = A_.rows() - 1;
  const auto L_N = A_.topLeftCorner(m, m).triangularView<Eigen::Lower>();
  Resize(e_, m + 1);
  e_.head(m) = -A_.row(m).head(m).transpose();
  e_[m] = 1;
  a_.setZero(m + 1);
  a_.head(m) = z_.head(m);
  auto e_N = e_.head(m);
  auto a_N = a_.head(m);
  L_N.transpose().solveInPlace(e_N);
  L_N.transpose().solveInPlace(a_N);
  // dA's weights are e u^T; of a symmetric dA the lower triangle is visited, its strictly lower entries twice.
  a_ = variance_slope * e_ + mean_slope * a_;
  for (Index j = 0; j <= m; ++j) {
    A_(j, j) = e_[j] * a_[j];
    A_.col(j).tail(m - j) = e_.tail(m - j) * a_[j] + a_.tail(m - j) * e_[j];
  }
  Resize(part_, covariance.num_parameters());
  covariance.Contract(X_, theta.data(), A_, part_.data(), scratch_);
  if (linear_ != nullptr) {
    // The prior of the regression does not move with the kernel's parameters: what Contract() says of it is taken back.
    for (Index k = 0; k < linear_->size(); ++k) {
      const LinearFeature& feature = linear_->features[static_cast<std::size_t>(k)];
      const double moved = feature.Variance(theta) * phi_.col(k).dot(e_) * phi_.col(k).dot(a_);
      for (const Index row : feature.parameters) part_[row] -= moved;
    }
  }
  gradient.head(part_.size()) += part_;
  gradient[part_.size()] += std::exp(theta.noise()) * e_.dot(a_);
}

}  // namespace instantgp

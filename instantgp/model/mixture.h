// Gaussian mixtures, one per row: row i has the density sum_k w_k N(mean_ik, std_ik^2).
#pragma once

#include "instantgp/base/export.h"
#include "instantgp/base/matrix.h"

namespace instantgp {

// A value. Components without weight are ignored. A standard deviation may be 0 (a point mass).
class INSTANTGP_EXPORT Mixture {
 public:
  // weights (k), at least 0, sum 1; means and stds (m, k).
  Mixture(Vector weights, Matrix means, Matrix stds);

  const Vector& weights() const { return weights_; }
  const Matrix& means() const { return means_; }
  const Matrix& stds() const { return stds_; }
  Index rows() const { return means_.rows(); }

  Vector Mean() const;  // sum_k w_k mean_k
  Vector Std() const;   // variance = sum_k w_k (std_k^2 + (mean_k - mean)^2)
  // log sum_k w_k N(y_i; mean_ik, std_ik^2), by log-sum-exp: finite where a density itself would underflow.
  Vector LogDensity(const Vector& y) const;
  Vector Cdf(const Vector& y) const;
  // P(Y_i <= result_i) = probability, 0 < probability < 1. The root lies between the smallest and the largest of the
  // components' quantiles; it is bracketed there by bisection with Newton steps, to 1e-12 of the bracket or better.
  Vector Quantile(double probability) const;

 private:
  Vector weights_;
  Matrix means_, stds_;
};

}  // namespace instantgp

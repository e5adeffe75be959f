// The exact posterior: one factorisation, kept, and everything computed from it.
#pragma once

#include "instantgp/base/matrix.h"
#include "instantgp/gp/covariance.h"
#include "instantgp/gp/predictive.h"
#include "instantgp/kernel/log_parameters.h"

namespace instantgp {

// All in scaled units. Const methods may run in parallel. Predictions are chunked over test rows, so memory is O(n) a
// row.
class Posterior final : public Predictive {
 public:
  // Factorises. Throws Error(kNumerical) with the reason when the ladder is exhausted.
  Posterior(Expression expression, Matrix X, Vector y, LogParameters theta);
  // From stored parts (a model file): no factorisation. Sizes are checked.
  Posterior(Expression expression, Matrix X, Vector y, LogParameters theta, Matrix L, Vector alpha, double jitter);

  // With further rows and the same parameters, by a block step on the factor: O(m n^2) instead of O((n + m)^3 / 3).
  //   V = L^-1 K(X, X'),  L' = chol(K(X', X') + (noise + jitter) I - V^T V),  factor [L 0; V^T L']
  // Where the second block has no factor, all rows are factorised anew (and the jitter may differ).
  Posterior Extended(const Matrix& X_new, const Vector& y_new) const;

  void MeanAndStd(const Matrix& X_new, Noise noise, Vector* mean, Vector* std) const override;  // mean = k*^T alpha
  Matrix Cov(const Matrix& X_new, Noise noise) const override;
  // Of one addend g of the function, whose kernel is `part` at `part_theta`: mean = K_g(X', X) alpha, variance =
  // k_g(x', x') - |L^-1 K_g(X, x')|^2. Either may be null; latent.
  void PartMeanAndStd(const Covariance& part, const Vector& part_theta, const Matrix& X_new, Vector* mean,
                      Vector* std) const;
  LeaveOneOut Loo() const;

  double nlml() const override;
  double jitter() const override;
  const Expression& expression() const override;
  const Matrix& X() const override;
  const Vector& y() const override;
  const LogParameters& theta() const override;
  const Matrix& L() const;  // lower triangle; upper is zero
  const Vector& alpha() const;

 private:
  // What the rows leave of the prior covariance of new ones: K(X', X') + diagonal I - V^T V with V = L^-1 K(X, X').
  // Lower triangle only.
  Matrix Conditional(const Matrix& X_new, double diagonal, Matrix& V) const;

  Covariance covariance_;
  Matrix X_;
  Vector y_;
  LogParameters theta_;
  Matrix L_;
  Vector alpha_;
  double jitter_ = 0;
};

}  // namespace instantgp

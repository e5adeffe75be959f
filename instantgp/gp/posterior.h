// The exact posterior: one factorisation, kept, and everything computed from it.
#pragma once

#include "instantgp/base/matrix.h"
#include "instantgp/gp/covariance.h"
#include "instantgp/gp/predictive.h"

namespace instantgp {

struct LeaveOneOut {
  Vector mean;      // mu_i = y_i - alpha_i / [A^-1]_ii
  Vector variance;  // 1 / [A^-1]_ii, observed
  double nll = 0;   // mean negative log density of y_i under its left-out prediction
};

// All in scaled units. Const methods may run in parallel. Predictions are chunked over test rows, so memory is O(n) a
// row.
class Posterior final : public Predictive {
 public:
  // Factorises. Throws Error(kNumerical) with the reason when the ladder is exhausted.
  Posterior(Expression expression, Matrix X, Vector y, Vector theta);
  // From stored parts (a model file): no factorisation. Sizes are checked.
  Posterior(Expression expression, Matrix X, Vector y, Vector theta, Matrix L, Vector alpha, double jitter);

  void MeanAndStd(const Matrix& X_new, Noise noise, Vector* mean, Vector* std) const override;  // mean = k*^T alpha
  Matrix Cov(const Matrix& X_new, Noise noise) const override;
  LeaveOneOut Loo() const;

  double nlml() const override;
  double jitter() const override;
  const Expression& expression() const override;
  const Matrix& X() const override;
  const Vector& y() const override;
  const Vector& theta() const override;
  const Matrix& L() const;  // lower triangle; upper is zero
  const Vector& alpha() const;

 private:
  Covariance covariance_;
  Matrix X_;
  Vector y_;
  Vector theta_;
  Matrix L_;
  Vector alpha_;
  double jitter_ = 0;
};

}  // namespace instantgp

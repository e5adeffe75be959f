// The posterior of m inducing points: predictions from two m x m factors, whatever the number of rows.
//
//   v = L^-1 k(Z, x*),   mean = v^T c,   latent variance = k** - |v|^2 + |LB^-1 v|^2     (symbols: collapsed_bound.h)
#pragma once

#include "instantgp/base/matrix.h"
#include "instantgp/gp/collapsed_bound.h"
#include "instantgp/gp/covariance.h"
#include "instantgp/gp/predictive.h"
#include "instantgp/kernel/log_parameters.h"

namespace instantgp {

class SparsePosterior final : public Predictive {
 public:
  // O(n m^2). Throws Error(kNumerical) with the reason when the factors cannot be had.
  SparsePosterior(Expression expression, Matrix X, Vector y, Matrix Z, LogParameters theta);

  // From stored parts (a model file): no factorisation. Sizes are checked.
  struct Parts {
    Matrix X;  // (n, d): kept for reports and plots, not needed to predict
    Vector y;
    Matrix Z;  // (m, d)
    LogParameters theta;
    Matrix L, LB;  // (m, m), lower triangles; upper is zero
    Vector c;      // (m)
    double negative_elbo = 0;
    double jitter = 0;
  };
  SparsePosterior(Expression expression, Parts parts);

  void MeanAndStd(const Matrix& X_new, Noise noise, Vector* mean, Vector* std) const override;
  Matrix Cov(const Matrix& X_new, Noise noise) const override;

  double nlml() const override { return parts_.negative_elbo; }
  double jitter() const override { return parts_.jitter; }
  const Expression& expression() const override { return covariance_.expression(); }
  const Matrix& X() const override { return parts_.X; }
  const Vector& y() const override { return parts_.y; }
  const LogParameters& theta() const override { return parts_.theta; }
  const Parts& parts() const { return parts_; }

 private:
  Covariance covariance_;
  Parts parts_;
};

}  // namespace instantgp

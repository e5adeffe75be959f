// The exact posterior: one factorisation, kept, and everything computed from it.
#pragma once

#include <cstdint>
#include <memory>

#include "instantgp/base/matrix.h"
#include "instantgp/gp/covariance.h"

namespace instantgp {

enum class Noise { kObserved, kLatent };  // with the noise variance added, or without

struct LeaveOneOut {
  Vector mean;      // mu_i = y_i - alpha_i / [A^-1]_ii
  Vector variance;  // 1 / [A^-1]_ii, observed
  double nll = 0;   // mean negative log density of y_i under its left-out prediction
};

// All in scaled units. Const methods may run in parallel. Predictions are chunked over test rows, so memory is O(n) a
// row.
class Posterior {
 public:
  // Factorises. Throws Error(kNumerical) with the reason when the ladder is exhausted.
  Posterior(Expression expression, Matrix X, Vector y, Vector theta);
  // From stored parts (a model file): no factorisation. Sizes are checked.
  Posterior(Expression expression, Matrix X, Vector y, Vector theta, Matrix L, Vector alpha, double jitter);

  Vector Mean(const Matrix& X_new) const;  // k*^T alpha
  void MeanAndStd(const Matrix& X_new, Noise noise, Vector* mean, Vector* std) const;
  Matrix Cov(const Matrix& X_new, Noise noise) const;                                     // (m, m), symmetric
  Matrix Samples(const Matrix& X_new, Noise noise, int count, std::uint64_t seed) const;  // (m, count)
  LeaveOneOut Loo() const;

  double nlml() const;  // per point
  double log_marginal_likelihood() const;
  double jitter() const;
  double noise_variance() const;
  const Expression& expression() const;
  const Matrix& X() const;
  const Vector& y() const;
  const Vector& theta() const;  // log parameters, log noise variance last
  const Matrix& L() const;      // lower triangle; upper is zero
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

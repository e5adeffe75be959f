#include "instantgp/gp/marginal_likelihood.h"

#include <cmath>
#include <numbers>

#include "instantgp/base/check.h"
#include "instantgp/gp/cholesky.h"

namespace instantgp {

NlmlValue NegativeLogMarginalLikelihood(const Covariance& covariance, const Matrix& X, const Vector& y,
                                        const Vector& theta, Vector* gradient, NlmlWorkspace& workspace,
                                        const ClosedFormScale* scale) {
  const Index n = X.rows();
  const int p = covariance.num_parameters();
  INSTANTGP_CHECK(n > 0 && y.size() == n && theta.size() == p + 1);
  NlmlValue result;
  if (!theta.allFinite()) {
    result.reason = "a parameter is not finite";
    return result;
  }
  const double noise = std::exp(theta[p]);
  Matrix& A = workspace.A;
  A.resize(n, n);
  const auto build = [&](Matrix& target) {
    covariance.Gram(X, theta.data(), target, workspace.covariance);
    target.diagonal().array() += noise;
  };
  build(A);
  const Factorization factor = Factorize(A, build);
  result.jitter = factor.jitter;
  if (!factor.ok) {
    result.reason = factor.reason;
    return result;
  }
  // quadratic form y^T A^-1 y = |L^-1 y|^2
  Vector& alpha = workspace.alpha;
  alpha = y;
  SolveLower(A, alpha);
  const double quadratic = alpha.squaredNorm();
  const double log_determinant_half = A.diagonal().array().log().sum();
  const double count = static_cast<double>(n);
  double half_fit = 0.5 * quadratic;  // q / 2c + n/2 log c
  double slope = 1;                   // 2 d(half_fit + n w log c)/dq, w = log_scale_weight
  if (scale != nullptr) {
    const double a = scale->pseudo_rows;
    const double c = (quadratic + a) / (count + a);
    result.log_scale = std::log(c);
    half_fit = 0.5 * quadratic / c + 0.5 * count * result.log_scale;
    slope = 1 / c + (count - quadratic / c + 2 * count * scale->log_scale_weight) / (quadratic + a);
  }
  result.nlml = (half_fit + log_determinant_half) / count + 0.5 * std::log(2 * std::numbers::pi);
  if (!std::isfinite(result.nlml)) {
    result.reason = "the marginal likelihood is not finite";
    return result;
  }
  if (gradient != nullptr) {
    SolveLowerTransposed(A, alpha);
    InvertFromFactor(A, workspace.covariance.pool);
    // dNLML/dK = (A^-1 - slope alpha alpha^T) / (2 n); strictly lower entries stand for two.
    for (Index j = 0; j < n; ++j) {
      A.col(j).tail(n - j) = (A.col(j).tail(n - j) - slope * alpha[j] * alpha.tail(n - j)) / count;
      A(j, j) *= 0.5;
    }
    gradient->resize(p + 1);
    (*gradient)[p] = noise * A.diagonal().sum();
    covariance.Contract(X, theta.data(), A, gradient->data(), workspace.covariance);
    if (!gradient->allFinite()) {
      result.reason = "the gradient of the marginal likelihood is not finite";
      return result;
    }
  }
  result.ok = true;
  return result;
}

}  // namespace instantgp

#include "instantgp/gp/marginal_likelihood.h"

#include <cmath>
#include <functional>

#include "instantgp/base/check.h"
#include "instantgp/base/normal.h"
#include "instantgp/base/resize.h"
#include "instantgp/gp/cholesky.h"

namespace instantgp {

namespace {

double BestScale(double quadratic, double count, const ClosedFormScale& scale) {
  return (quadratic + scale.pseudo_rows) / (count + scale.pseudo_rows);
}

// 2 d(q / 2c + n/2 log c + n w log c)/dq, w = log_scale_weight; 1 without a scale.
double SlopeInQuadratic(double quadratic, double count, const ClosedFormScale* scale) {
  if (scale == nullptr) return 1;
  const double c = BestScale(quadratic, count, *scale);
  return 1 / c + (count - quadratic / c + 2 * count * scale->log_scale_weight) / (quadratic + scale->pseudo_rows);
}

// `build` fills the lower triangle of A = K + s2 I.
NlmlValue Score(const std::function<void(Matrix&)>& build, const Vector& y, const ClosedFormScale* scale,
                NlmlWorkspace& workspace) {
  NlmlValue result;
  Matrix& A = workspace.A;
  Resize(A, y.size(), y.size());
  build(A);
  const Factorization factor = Factorize(A, build);
  result.jitter = factor.jitter;
  if (!factor.ok) {
    result.reason = factor.reason;
    return result;
  }
  // quadratic form y^T A^-1 y = |L^-1 y|^2
  Vector& alpha = workspace.alpha;
  Resize(alpha, y.size());
  alpha = y;
  SolveLower(A, alpha);
  const double quadratic = alpha.squaredNorm();
  const double log_determinant_half = A.diagonal().array().log().sum();
  const double count = static_cast<double>(y.size());
  double half_fit = 0.5 * quadratic;  // q / 2c + n/2 log c
  if (scale != nullptr) {
    const double c = BestScale(quadratic, count, *scale);
    result.log_scale = std::log(c);
    half_fit = 0.5 * quadratic / c + 0.5 * count * result.log_scale;
  }
  result.nlml = (half_fit + log_determinant_half) / count + kHalfLog2Pi;
  result.ok = std::isfinite(result.nlml);
  if (!result.ok) result.reason = "the marginal likelihood is not finite";
  return result;
}

// From D_alpha (n, p + 1) and W, the lower triangle of (A^-1 - slope alpha alpha^T) / n with half its diagonal:
//   D_i A^-1 D_j  =  n D_i (W + W^T) D_j + slope (D_i alpha) (D_j alpha)   in alpha^T . alpha
// costs a product with a symmetric matrix, and leaves the factor free to become the inverse.
void AverageInformation(const Matrix& W, const Matrix& D_alpha, const Vector& alpha, const ClosedFormScale* scale,
                        double quadratic, double slope, Matrix* curvature) {
  const double count = static_cast<double>(alpha.size());
  const Vector along_scale = D_alpha.transpose() * alpha;  // alpha^T D_i alpha
  Matrix half = W.triangularView<Eigen::Lower>() * D_alpha;
  const Matrix product = D_alpha.transpose() * half;
  Resize(*curvature, product.rows(), product.cols());
  *curvature = 0.5 * (product + product.transpose());
  double along = 0.5 * slope / count;
  if (scale != nullptr) along -= 0.5 / (count * quadratic);
  *curvature += along * (along_scale * along_scale.transpose());
  if (scale != nullptr) *curvature /= BestScale(quadratic, count, *scale);
  curvature->triangularView<Eigen::StrictlyUpper>() = curvature->transpose();  // symmetric to the last bit
}

NlmlValue NotFinite() {
  NlmlValue result;
  result.reason = "a parameter is not finite";
  return result;
}

}  // namespace

NlmlValue NegativeLogMarginalLikelihood(const Covariance& covariance, const Matrix& X, const Vector& y,
                                        const LogParameters& theta, Vector* gradient, NlmlWorkspace& workspace,
                                        const ClosedFormScale* scale) {
  const Index n = X.rows();
  const int p = covariance.num_parameters();
  INSTANTGP_CHECK(n > 0 && y.size() == n && theta.size() == p + 1);
  if (!theta.allFinite()) return NotFinite();
  const double noise = std::exp(theta[p]);
  const auto build = [&](Matrix& target) {
    covariance.Gram(X, theta.data(), target, workspace.covariance);
    target.diagonal().array() += noise;
  };
  NlmlValue result = Score(build, y, scale, workspace);
  if (result.ok && gradient != nullptr && !NlmlGradient(covariance, X, theta, scale, workspace, gradient)) {
    result.ok = false;
    result.reason = "the gradient of the marginal likelihood is not finite";
  }
  return result;
}

bool NlmlGradient(const Covariance& covariance, const Matrix& X, const LogParameters& theta,
                  const ClosedFormScale* scale, NlmlWorkspace& workspace, Vector* gradient, Matrix* curvature) {
  const Index n = X.rows();
  const int p = covariance.num_parameters();
  const double count = static_cast<double>(n);
  Matrix& A = workspace.A;
  Vector& alpha = workspace.alpha;
  const double quadratic = alpha.squaredNorm(), slope = SlopeInQuadratic(quadratic, count, scale);
  SolveLowerTransposed(A, alpha);
  InvertFromFactor(A, workspace.covariance.pool);
  // dNLML/dK = (A^-1 - slope alpha alpha^T) / (2 n); strictly lower entries stand for two.
  for (Index j = 0; j < n; ++j) {
    A.col(j).tail(n - j) = (A.col(j).tail(n - j) - slope * alpha[j] * alpha.tail(n - j)) / count;
    A(j, j) *= 0.5;
  }
  Resize(*gradient, p + 1);
  (*gradient)[p] = std::exp(theta[p]) * A.diagonal().sum();
  if (curvature == nullptr) {
    covariance.Contract(X, theta.data(), A, gradient->data(), workspace.covariance);
    return gradient->allFinite();
  }
  Matrix& D_alpha = workspace.D_alpha;
  covariance.ContractAndMultiply(X, theta.data(), A, alpha, gradient->data(), D_alpha, workspace.covariance);
  D_alpha.conservativeResize(n, p + 1);
  D_alpha.col(p) = std::exp(theta[p]) * alpha;
  AverageInformation(A, D_alpha, alpha, scale, quadratic, slope, curvature);
  return gradient->allFinite() && curvature->allFinite();
}

NlmlValue NlmlOfGram(const Matrix& K, const Vector& y, double log_noise, NlmlWorkspace& workspace,
                     const ClosedFormScale* scale) {
  INSTANTGP_CHECK(K.rows() == y.size() && K.cols() == y.size() && y.size() > 0);
  if (!std::isfinite(log_noise)) return NotFinite();
  const double noise = std::exp(log_noise);
  const auto build = [&](Matrix& target) {
    target.triangularView<Eigen::Lower>() = K;
    target.diagonal().array() += noise;
  };
  return Score(build, y, scale, workspace);
}

}  // namespace instantgp

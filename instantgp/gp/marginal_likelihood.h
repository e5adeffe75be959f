// The negative log marginal likelihood per point and its gradient in log-parameter space.
//
//   NLML/n = ( 1/2 y^T alpha + sum_i log L_ii ) / n + 1/2 log 2 pi,    A = K + s2 I = L L^T,  alpha = A^-1 y
//   dNLML/dK / n = (A^-1 - alpha alpha^T) / (2 n)
//
// The overall scale of kernel and noise has an optimum in closed form: for A' = c A the likelihood is best at c = q /
// n, q = y^T A^-1 y, and the factor of A' is sqrt(c) L, so it costs nothing. ClosedFormScale asks for the value there,
// with the scale held to 1 as by `pseudo_rows` further rows that agree with it:
//   c = (q + a) / (n + a),   NLML/n = ( q / 2c + n/2 log c + sum_i log L_ii ) / n + 1/2 log 2 pi
//
// The average information is a curvature in place of the Hessian, positive semi-definite and without the trace
// tr(A^-1 D_i A^-1 D_j) that both of its parents have, the observed and the expected information. With
// D_i = dA / d log theta_i:
//   H_ij = alpha^T D_i A^-1 D_j alpha / (2 n)
// and at the best scale, as a function of what is left:
//   H_ij = ( alpha^T D_i A^-1 D_j alpha - (alpha^T D_i alpha) (alpha^T D_j alpha) / q ) / (2 n c)
#pragma once

#include <string>

#include "instantgp/base/matrix.h"
#include "instantgp/gp/covariance.h"
#include "instantgp/kernel/log_parameters.h"

namespace instantgp {

// Scratch for one thread; grows to the largest n seen and is reused. After an evaluation without a gradient the lower
// triangle of A holds L, and alpha L^-1 y.
struct NlmlWorkspace {
  Matrix A;        // (n, n)
  Vector alpha;    // (n)
  Matrix D_alpha;  // (n, p + 1), for the average information
  CovarianceScratch covariance;
};

struct ClosedFormScale {
  double pseudo_rows = 4;
  double log_scale_weight = 0;  // the gradient is that of NLML/n + log_scale_weight * log c
};

struct NlmlValue {
  bool ok = false;
  double nlml = 0;  // per point
  double jitter = 0;
  double log_scale = 0;  // log c; 0 unless asked for
  std::string reason;    // when not ok
};

// theta = (log kernel parameters in table order, log noise variance). `gradient` may be null; else it is resized to
// theta's size. With `scale` value and gradient are those at c A, as functions of theta. Never throws for numerical
// reasons and never returns a value that is not finite with ok = true.
NlmlValue NegativeLogMarginalLikelihood(const Covariance& covariance, const Matrix& X, const Vector& y,
                                        const LogParameters& theta, Vector* gradient, NlmlWorkspace& workspace,
                                        const ClosedFormScale* scale = nullptr);

// The gradient at theta after an evaluation there without one, in the same workspace, which it uses up; with
// `curvature` also the average information per point (p + 1, p + 1). False when they are not finite.
bool NlmlGradient(const Covariance& covariance, const Matrix& X, const LogParameters& theta,
                  const ClosedFormScale* scale, NlmlWorkspace& workspace, Vector* gradient,
                  Matrix* curvature = nullptr);

// The value for a kernel whose Gram matrix is known: K (n, n), lower triangle.
NlmlValue NlmlOfGram(const Matrix& K, const Vector& y, double log_noise, NlmlWorkspace& workspace,
                     const ClosedFormScale* scale = nullptr);

}  // namespace instantgp

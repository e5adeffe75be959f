// The negative log marginal likelihood per point and its gradient in log-parameter space.
//
//   NLML/n = ( 1/2 y^T alpha + sum_i log L_ii ) / n + 1/2 log 2 pi,    A = K + s2 I = L L^T,  alpha = A^-1 y
//   dNLML/dK / n = (A^-1 - alpha alpha^T) / (2 n)
#pragma once

#include <string>

#include "instantgp/base/matrix.h"
#include "instantgp/gp/covariance.h"

namespace instantgp {

// Scratch for one thread; grows to the largest n seen and is reused.
struct NlmlWorkspace {
  Matrix A;      // (n, n)
  Vector alpha;  // (n)
  CovarianceScratch covariance;
};

struct NlmlValue {
  bool ok = false;
  double nlml = 0;  // per point
  double jitter = 0;
  std::string reason;  // when not ok
};

// theta = (log kernel parameters in table order, log noise variance). `gradient` may be null; else it is resized to
// theta's size. Never throws for numerical reasons and never returns a value that is not finite with ok = true.
NlmlValue NegativeLogMarginalLikelihood(const Covariance& covariance, const Matrix& X, const Vector& y,
                                        const Vector& theta, Vector* gradient, NlmlWorkspace& workspace);

}  // namespace instantgp

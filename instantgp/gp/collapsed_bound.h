// The lower bound on the log marginal likelihood that m inducing points give, with the best variational distribution
// already put in (Titsias 2009), and its gradient in log parameters and inducing inputs.
//
//   Kmm + jitter I = L L^T,  V = Knm L^-T (n, m),  beta = 1 / s2,  B = I + beta V^T V = LB LB^T,  c = beta B^-1 V^T y
//   ELBO = log N(y | 0, V V^T + s2 I) - beta/2 tr(Knn - V V^T)
//        = -n/2 log(2 pi s2) - sum_i log LB_ii - beta/2 (y^T y - c^T V^T y) - beta/2 (tr Knn - |V|^2)
//
// With G_mm = dELBO/dKmm, G_nm = dELBO/dKnm, P = I - B^-1 and the residual r = y - V c:
//   G_nm = beta (V P L^-1 + r c^T L^-1)
//   G_mm = 1/2 L^-T (P - beta V^T V - c c^T) L^-1
//   dELBO/dbeta = n / (2 beta) - 1/2 |r|^2 - 1/2 (tr Knn - |V|^2) - tr P / (2 beta),   dELBO/d tr Knn = -beta / 2
// Everything is in V, not in Knm, because Kmm is often nearly singular: in V the small directions are small.
//
// O(n m^2) time, O(n m) memory.
#pragma once

#include <array>
#include <string>

#include "instantgp/base/matrix.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/covariance.h"
#include "instantgp/kernel/log_parameters.h"

namespace instantgp {

// Relative to the mean diagonal of Kmm, always added: a factor of a matrix singular to rounding is noise. It loosens
// the bound by about jitter / (2 s2) per point.
inline constexpr double kInducingJitter = 1e-10;

// Scratch of one caller, and after an evaluation the parts of the sparse posterior. Large tables are visited in two
// halves, on two threads when there is a pool; the halves do not depend on the threads.
struct BoundWorkspace {
  ThreadPool* pool = nullptr;  // not owned

  Matrix L;   // (m, m), strict upper triangle undefined
  Matrix LB;  // (m, m), likewise
  Vector c;   // (m)
  Matrix V;   // (n, m)

  struct Half {
    CovarianceScratch covariance;
    Matrix K;           // of one chunk of rows
    Matrix VtV;         // (m, m), lower triangle
    Vector Vty;         // (m)
    Vector gradient;    // of the kernel's log parameters
    Matrix Z_gradient;  // (m, d)
    double residual = 0;
  };
  std::array<Half, 2> halves;
};

struct BoundValue {
  bool ok = false;
  double negative_elbo = 0;  // per point: at least the NLML per point
  double jitter = 0;         // added to the diagonal of Kmm
  std::string reason;        // when not ok
};

// theta = (log kernel parameters in table order, log noise variance); Z (m, d). `gradient` (resized to theta's size)
// and `Z_gradient` (m, d) come both or not at all. Never throws for numerical reasons and never returns a value that is
// not finite with ok = true.
BoundValue NegativeElbo(const Covariance& covariance, const Matrix& X, const Vector& y, const Matrix& Z,
                        const LogParameters& theta, Vector* gradient, Matrix* Z_gradient, BoundWorkspace& workspace);

}  // namespace instantgp

// One row given some others: the small system that predictions from neighbours and their left-out density consist of.
//
// With the row put last, A = K + s2 I of the others and itself has the factor
//   L = [ L_N 0 ; l^T s ],   mean = l^T L_N^-1 y_N,   observed variance = s^2
#pragma once

#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/gp/covariance.h"
#include "instantgp/gp/linear_part.h"
#include "instantgp/kernel/log_parameters.h"

namespace instantgp {

// Scratch of one thread, and the results of the last call.
class NeighbourSystem {
 public:
  // The row x (d) given the listed rows of X and y; `rows` may be empty. False, with `reason`, where there is no
  // factor.
  // With `linear` (may be null) the regression among the kernel's addends has that for its prior; it must outlive
  // AddGradient().
  bool Condition(const Covariance& covariance, const LogParameters& theta, const Matrix& X, const Vector& y,
                 const std::vector<int>& rows, const double* x, const LinearPart* linear = nullptr);

  double mean() const { return mean_; }
  double variance() const { return variance_; }  // observed
  double jitter() const { return jitter_; }
  const std::string& reason() const { return reason_; }

  // gradient[p] += d/d log theta_p of a function of mean and variance with these slopes, the noise's last. After
  // Condition(), and only once.
  //   e = (-A_N^-1 k, 1),  a = (A_N^-1 y_N, 0):   d mean = e^T dA a,   d variance = e^T dA e
  void AddGradient(const Covariance& covariance, const LogParameters& theta, double mean_slope, double variance_slope,
                   Vector& gradient);

 private:
  const LinearPart* linear_ = nullptr;
  Matrix X_, A_, phi_, gain_;
  Vector z_, e_, a_, part_;
  CovarianceScratch scratch_;
  double mean_ = 0, variance_ = 0, jitter_ = 0;
  std::string reason_;
};

}  // namespace instantgp

// The part of a kernel that is a regression on a few monomials: what LIN and BIAS are by themselves, without a factor
// that has a range.
//
//   k(x, x') = k_R(x, x') + phi(x)^T B phi(x'),     f = g + phi^T beta,  g ~ GP(0, k_R),  beta ~ N(0, B)
//
// LIN on column c is v x x' + o: the monomials x_c with variance v and 1 with variance o. A product of sums has the
// monomials of the products of such addends. Nearest rows know nothing of beta, which all rows together determine; so
// it is learnt from rows of the whole table, beta ~ N(m, C), and predictions from neighbours take that for its prior.
#pragma once

#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/kernel/expression.h"
#include "instantgp/kernel/log_parameters.h"

namespace instantgp {

class Covariance;

struct LinearFeature {
  std::vector<int> columns;       // the monomial: their product; none: 1
  std::vector<Index> parameters;  // rows whose values, multiplied, are its prior variance
  std::vector<int> leaves;        // of the kernel, depth-first: the addend it comes from

  double Variance(const LogParameters& theta) const;
};

// None where the kernel has no such part, or one of more than kMostLinearFeatures monomials.
inline constexpr int kMostLinearFeatures = 64;
std::vector<LinearFeature> LinearFeaturesOf(const Expression& expression);

// Whether a part that is no such regression reaches far: a product of LIN and a factor with a range, WIE, IOU.
bool ReachesFarBeyondLinear(const Expression& expression);

struct LinearPart {
  std::vector<LinearFeature> features;
  Vector mean;  // m
  Matrix cov;   // C, symmetric

  // Of these rows, by their exact posterior: m and C are those of universal kriging with the kernel's own prior. Empty
  // features where the rows' covariance cannot be factorised.
  static LinearPart Learnt(const Covariance& covariance, const Matrix& X, const Vector& y, const LogParameters& theta);

  Index size() const { return static_cast<Index>(features.size()); }
  // phi of every row: (rows, size()).
  Matrix Features(const Matrix& X) const;
  // C - B: what the kernel's covariances gain by it.
  Matrix Gain(const LogParameters& theta) const;
};

}  // namespace instantgp

// What a Gaussian process says about new rows, whether its algebra is exact or sparse and its parameters one set or
// many.
#pragma once

#include <cstdint>
#include <span>

#include "instantgp/base/matrix.h"
#include "instantgp/gp/prediction.h"
#include "instantgp/kernel/expression.h"
#include "instantgp/kernel/log_parameters.h"

namespace instantgp {

// All in scaled units. Const methods may run in parallel.
class Predictive {
 public:
  virtual ~Predictive() = default;

  // Either may be null. The latent variance is clamped at 0 against rounding. This and Cov throw Error(kNumerical)
  // where a row is so far away that the kernel there is larger than a double.
  virtual void MeanAndStd(const Matrix& X_new, Noise noise, Vector* mean, Vector* std) const = 0;
  virtual Matrix Cov(const Matrix& X_new, Noise noise) const = 0;  // (m, m), symmetric

  Vector Mean(const Matrix& X_new) const;
  // (m, count). Throws Error(kNumerical) when the covariance cannot be factorised.
  virtual Matrix Samples(const Matrix& X_new, Noise noise, int count, std::uint64_t seed) const;
  // (m, numbers.size()): of joint samples of one Gaussian those with the given numbers, 0, 1, ...; each depends on the
  // seed and its number alone.
  Matrix NumberedSamples(const Matrix& X_new, Noise noise, std::span<const int> numbers, std::uint64_t seed) const;

  virtual double nlml() const = 0;  // per point; for a sparse one its upper bound, the negative ELBO per point
  virtual double jitter() const = 0;
  virtual const Expression& expression() const = 0;
  virtual const Matrix& X() const = 0;
  virtual const Vector& y() const = 0;
  virtual const LogParameters& theta() const = 0;

  double log_marginal_likelihood() const;  // -nlml() n
  double noise_variance() const;

 protected:
  // Throws that error, naming the first row with a number that is not finite.
  static void RequireFinite(const Eigen::Ref<const Matrix>& rows);

  Predictive() = default;
  Predictive(const Predictive&) = default;
  Predictive& operator=(const Predictive&) = default;
};

}  // namespace instantgp

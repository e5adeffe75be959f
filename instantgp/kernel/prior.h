// Priors of the parameters: Gamma on each kernel parameter, Exponential on the noise variance.
//
// Densities are of the parameter itself (not of its logarithm), as in the paper: MAP maximises
// log p(y | theta) + sum_i log p(theta_i).
#pragma once

#include "instantgp/kernel/symbol.h"

namespace instantgp {

struct GammaPrior {
  double shape = 1;
  double rate = 1;

  // log p(theta) at theta = exp(log_theta), normalised:
  // shape log(rate) - lgamma(shape) + (shape-1) log theta - rate theta
  double LogDensity(double log_theta) const;
  // d log p / d log theta = shape - 1 - rate theta
  double DLogDensity(double log_theta) const;
  // d^2 log p / d (log theta)^2 = - rate theta
  double D2LogDensity(double log_theta) const;

  friend bool operator==(const GammaPrior&, const GammaPrior&) = default;
};

// variance (2,3), lengthscale (2,5), period (2,3), offset (2,3)
GammaPrior PriorOf(ParameterKind kind);

// Exponential with mean 0.15^2 is Gamma(1, 1/0.15^2).
inline constexpr double kNoisePriorMean = 0.15 * 0.15;
GammaPrior NoisePrior();

}  // namespace instantgp

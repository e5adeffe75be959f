#include "instantgp/kernel/prior.h"

#include <math.h>

#include <cmath>

#include "instantgp/base/check.h"

namespace instantgp {
namespace {

// std::lgamma leaves the sign in a global variable, for which threads would race.
double LogGamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

}  // namespace

double GammaPrior::LogDensity(double log_theta) const {
  return shape * std::log(rate) - LogGamma(shape) + (shape - 1) * log_theta - rate * std::exp(log_theta);
}

double GammaPrior::DLogDensity(double log_theta) const { return shape - 1 - rate * std::exp(log_theta); }

double GammaPrior::D2LogDensity(double log_theta) const { return -rate * std::exp(log_theta); }

GammaPrior PriorOf(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::kVariance:
    case ParameterKind::kPeriod:
    case ParameterKind::kOffset:
      return {2, 3};
    case ParameterKind::kLengthscale:
      return {2, 5};
  }
  INSTANTGP_CHECK(false);
  return {};
}

GammaPrior NoisePrior() { return {1, 1 / kNoisePriorMean}; }

}  // namespace instantgp

// From the raw numbers of the heads to positive parameters, as logarithms.
//
//   log:       theta = centre + c tanh(raw / c), c = kLogClamp: the logarithm itself, held smoothly within +-c of the
//   centre
//              noise:  log( floor + exp(centre + c tanh(raw / c)) )
//   softplus:  lengthscale, period, offset = sp(raw); variance = sp(raw)^2 (raw stands for a standard deviation);
//              noise variance = sp(raw) + floor
#pragma once

#include "instantgp/kernel/symbol.h"
#include "instantgp/network/config.h"

namespace instantgp {

inline constexpr double kLogClamp = 6.0;

// A log-parameter and its derivative with respect to the raw number.
struct Output {
  double log_value = 0;
  double slope = 0;
};

// E[log theta] under the prior.
double PriorCentre(ParameterKind kind);

Output TransformParameter(OutputTransform transform, ParameterKind kind, double centre, double raw);
Output TransformNoise(OutputTransform transform, double floor, double raw);

// The raw number at which the parameter sits at its prior's centre.
double RawAtCentre(OutputTransform transform, ParameterKind kind);
double RawNoiseAtCentre(OutputTransform transform);

}  // namespace instantgp

#include "instantgp/network/ops/outputs.h"

#include <cmath>

#include "instantgp/kernel/prior.h"

namespace instantgp {
namespace {

// E[log theta] of Gamma(k, rate) = digamma(k) - log(rate), by the first terms of the asymptotic series (6e-3 at k = 1,
// where a centre needs no more).
double Centre(const GammaPrior& prior) {
  const double k = prior.shape;
  return std::log(k) - 1 / (2 * k) - 1 / (12 * k * k) - std::log(prior.rate);
}

// sp(raw) = log(1 + e^raw); below -30 it is e^raw to double precision, and its logarithm is raw even where it
// underflows.
double Softplus(double raw) { return raw > 30 ? raw : std::log1p(std::exp(raw)); }
double LogSoftplus(double raw) { return raw < -30 ? raw : std::log(Softplus(raw)); }
double Sigmoid(double raw) { return 1 / (1 + std::exp(-raw)); }
// d log sp / d raw = sigmoid / sp, which tends to 1 at -infinity.
double LogSoftplusSlope(double raw) { return raw < -30 ? 1 : Sigmoid(raw) / Softplus(raw); }
double InverseSoftplus(double value) { return value > 30 ? value : std::log(std::expm1(value)); }

// centre + c tanh(raw / c)
Output Clamped(double centre, double raw) {
  const double t = std::tanh(raw / kLogClamp);
  return {centre + kLogClamp * t, 1 - t * t};
}

}  // namespace

double PriorCentre(ParameterKind kind) { return Centre(PriorOf(kind)); }

Output TransformParameter(OutputTransform transform, ParameterKind kind, double centre, double raw) {
  if (transform == OutputTransform::kLog) return Clamped(centre, raw);
  const double power = kind == ParameterKind::kVariance ? 2 : 1;
  return {power * LogSoftplus(raw), power * LogSoftplusSlope(raw)};
}

Output TransformNoise(OutputTransform transform, double floor, double raw) {
  if (transform == OutputTransform::kLog) {
    // log(floor + e^u), d/du = e^u / (floor + e^u)
    const Output u = Clamped(Centre(NoisePrior()), raw);
    const double value = std::exp(u.log_value);
    return {std::log(floor + value), u.slope * value / (floor + value)};
  }
  if (floor == 0) return {LogSoftplus(raw), LogSoftplusSlope(raw)};
  // log(sp + floor), d/draw = sigmoid / (sp + floor)
  const double value = Softplus(raw) + floor;
  return {std::log(value), Sigmoid(raw) / value};
}

double RawAtCentre(OutputTransform transform, ParameterKind kind) {
  if (transform == OutputTransform::kLog) return 0;
  return InverseSoftplus(std::exp(PriorCentre(kind) / (kind == ParameterKind::kVariance ? 2 : 1)));
}

double RawNoiseAtCentre(OutputTransform transform) {
  return transform == OutputTransform::kLog ? 0 : InverseSoftplus(std::exp(Centre(NoisePrior())));
}

}  // namespace instantgp

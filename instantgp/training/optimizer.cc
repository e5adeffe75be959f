#include "instantgp/training/optimizer.h"

#include <algorithm>
#include <cmath>

namespace instantgp {

StepCoefficients CoefficientsOf(const OptimizerConfig& config, std::int64_t step, double rate, double gradient_scale) {
  const double t = static_cast<double>(step);
  const double power1 = std::pow(config.beta1, t);
  const double power2 = std::pow(config.beta2, t);
  StepCoefficients out;
  double rectifier = 1;
  if (config.kind == OptimizerKind::kRAdam) {
    const double rho_inf = 2 / (1 - config.beta2) - 1;
    const double rho = rho_inf - 2 * t * power2 / (1 - power2);
    out.adaptive = rho > 5;
    if (out.adaptive) {
      rectifier = std::sqrt((rho - 4) * (rho - 2) * rho_inf / ((rho_inf - 4) * (rho_inf - 2) * rho));
    }
  }
  out.beta1 = static_cast<float>(config.beta1);
  out.beta2 = static_cast<float>(config.beta2);
  out.gradient_scale = static_cast<float>(gradient_scale);
  out.step_size = static_cast<float>(rate * rectifier / (1 - power1));
  out.inverse_root = static_cast<float>(1 / std::sqrt(1 - power2));
  out.epsilon = static_cast<float>(config.epsilon);
  out.decay = static_cast<float>(rate * config.weight_decay);
  out.averaging = static_cast<float>(std::max(config.averaging, 10 / (t + 9)));
  return out;
}

namespace {

// A template on the only branch, so that the loop is straight-line code the compiler turns into vector instructions.
template <bool adaptive>
void Update(const StepCoefficients& c, std::size_t begin, std::size_t end, const float* __restrict gradient,
            float* __restrict weights, float* __restrict moment1, float* __restrict moment2,
            float* __restrict average) {
  const float scale = c.gradient_scale, beta1 = c.beta1, beta2 = c.beta2, step_size = c.step_size;
  const float inverse_root = c.inverse_root, epsilon = c.epsilon, decay = c.decay, averaging = c.averaging;
  for (std::size_t i = begin; i < end; ++i) {
    const float g = gradient[i] * scale;
    const float m = beta1 * moment1[i] + (1 - beta1) * g;
    const float v = beta2 * moment2[i] + (1 - beta2) * g * g;
    moment1[i] = m;
    moment2[i] = v;
    const float direction = adaptive ? m / (std::sqrt(v) * inverse_root + epsilon) : m;
    const float w = weights[i] - (step_size * direction + decay * weights[i]);
    weights[i] = w;
    average[i] += averaging * (w - average[i]);
  }
}

}  // namespace

void UpdateWeights(const StepCoefficients& coefficients, std::size_t begin, std::size_t end, const float* gradient,
                   float* weights, float* moment1, float* moment2, float* average) {
  const auto update = coefficients.adaptive ? Update<true> : Update<false>;
  update(coefficients, begin, end, gradient, weights, moment1, moment2, average);
}

double ClipFactor(double norm, double clip_norm) { return clip_norm > 0 && norm > clip_norm ? clip_norm / norm : 1.0; }

}  // namespace instantgp

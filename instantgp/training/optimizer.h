// RAdam and AdamW over the flat weight buffer, with the running average of the weights in the same pass.
//
//   m = b1 m + (1-b1) g,   v = b2 v + (1-b2) g^2,   mh = m / (1-b1^t),   vh = v / (1-b2^t)
//   AdamW:  w -= rate (mh / (sqrt(vh) + eps) + decay w)
//   RAdam:  rho = rho_inf - 2 t b2^t / (1-b2^t),  rho_inf = 2/(1-b2) - 1
//           rho > 5:  w -= rate (r mh / (sqrt(vh) + eps) + decay w),
//                     r = sqrt( (rho-4)(rho-2) rho_inf / ((rho_inf-4)(rho_inf-2) rho) )
//           else:     w -= rate (mh + decay w)                      (the variance of vh is not yet bounded)
//   average += share (w - average)
#pragma once

#include <cstddef>
#include <cstdint>

#include "instantgp/training/config.h"

namespace instantgp {

// The constants of one step, the same for every weight. Computed in double once, applied in float.
struct StepCoefficients {
  float beta1 = 0;
  float beta2 = 0;
  float gradient_scale = 1;  // batch mean and global clipping
  float step_size = 0;       // rate r / (1-b1^t), or rate / (1-b1^t) when not adaptive
  float inverse_root = 0;    // 1 / sqrt(1-b2^t)
  float epsilon = 0;
  float decay = 0;  // rate * weight_decay
  float averaging = 0;
  bool adaptive = true;
};

// `step` counts from 1. The averaged weights start as a plain mean: share = max(averaging, 10 / (step + 9)).
StepCoefficients CoefficientsOf(const OptimizerConfig& config, std::int64_t step, double rate, double gradient_scale);

// One step on weights [begin, end); ranges are independent of each other. `moment2` and the others are whole buffers.
void UpdateWeights(const StepCoefficients& coefficients, std::size_t begin, std::size_t end, const float* gradient,
                   float* weights, float* moment1, float* moment2, float* average);

// The factor that brings a gradient of the given norm down to `clip_norm`; 1 when it is below or clip_norm is 0.
double ClipFactor(double norm, double clip_norm);

}  // namespace instantgp

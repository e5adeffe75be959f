// The learning rate as a function of the step and of the share of the budget spent.
#pragma once

#include <cstdint>

#include "instantgp/training/config.h"

namespace instantgp {

// rate = peak * warmup(step) * shape(progress), with
//   warmup(step) = min(1, step / warmup_steps),  step = 1, 2, ... since the start or the last extension of the run
//   constant: shape = 1
//   cosine:   shape(u) = f + (1 - f) (1 + cos(pi u)) / 2,  f = final_fraction
//   restart:  the same in every cycle, u = place within the cycle
// progress in [0, 1]; values outside are taken as the nearer end.
double LearningRate(const ScheduleConfig& config, std::int64_t step, double progress);

}  // namespace instantgp

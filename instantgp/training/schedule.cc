#include "instantgp/training/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace instantgp {
namespace {

// The place in [0, 1] within the cycle that holds `progress`; cycle k has a length proportional to growth^k.
double PlaceInCycle(const ScheduleConfig& config, double progress) {
  double total = 0;
  for (int k = 0; k < config.cycles; ++k) total += std::pow(config.cycle_growth, k);
  double left = progress * total;
  for (int k = 0; k < config.cycles - 1; ++k) {
    const double length = std::pow(config.cycle_growth, k);
    if (left < length) return left / length;
    left -= length;
  }
  return std::min(1.0, left / std::pow(config.cycle_growth, config.cycles - 1));
}

}  // namespace

double LearningRate(const ScheduleConfig& config, std::int64_t step, double progress) {
  progress = std::clamp(progress, 0.0, 1.0);
  const double warmup = config.warmup_steps > 0 ? std::min(1.0, static_cast<double>(step) / config.warmup_steps) : 1.0;
  if (config.kind == ScheduleKind::kConstant) return config.peak * warmup;
  const double place = config.kind == ScheduleKind::kRestart ? PlaceInCycle(config, progress) : progress;
  const double shape =
      config.final_fraction + (1 - config.final_fraction) * 0.5 * (1 + std::cos(std::numbers::pi * place));
  return config.peak * warmup * shape;
}

}  // namespace instantgp

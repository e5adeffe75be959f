// Which datasets of the paper's distribution a step draws: limits on d and n that widen with progress.
#pragma once

#include <cstdint>

#include "instantgp/simulate/distribution.h"
#include "instantgp/training/config.h"

namespace instantgp {

// Substreams of a dataset's random stream (seed, index) beyond those simulate/ uses itself.
inline constexpr std::uint32_t kCurriculumSubstream = 1000;
inline constexpr std::uint32_t kLossSubstream = 1001;
inline constexpr std::uint32_t kMixtureSubstream = 1002;

// The stage in force at `progress`; without a curriculum one that limits nothing.
CurriculumStage StageAt(const TrainingConfig& config, double progress);

// The paper's distribution as dataset `index` is drawn from it: the run's own, cut to the stage's max_d, and n from one
// of
//   [min_n, small_n] with probability small_share,  [max_n + 1, large_n] with probability large_share,  else [min_n,
//   max_n].
SimulationOptions OptionsFor(const TrainingConfig& config, const CurriculumStage& stage, std::uint64_t index);

}  // namespace instantgp

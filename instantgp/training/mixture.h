// The datasets of a run: each belongs to one component of the mixture and is drawn from that component's distribution.
//
// Dataset `index` depends on (config, stage, index) alone. Those of the paper's distribution are the same whatever else
// is in the mixture.
#pragma once

#include <cstdint>

#include "instantgp/simulate/distribution.h"
#include "instantgp/training/config.h"

namespace instantgp {

// Components are drawn with their shares as probabilities, from a random stream of their own.
ComponentKind ComponentOf(const TrainingConfig& config, std::uint64_t index);

// `stage` limits the paper's component (training/curriculum.h). As DrawSize and Simulate, else.
SimulatedSize DrawTrainingSize(const TrainingConfig& config, const CurriculumStage& stage, std::uint64_t index);
Simulated DrawTrainingDataset(const TrainingConfig& config, const CurriculumStage& stage, std::uint64_t index,
                              SimulationWorkspace* workspace = nullptr);

}  // namespace instantgp

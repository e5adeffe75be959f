#include "instantgp/training/mixture.h"

#include "instantgp/base/rng.h"
#include "instantgp/simulate/tables.h"
#include "instantgp/training/curriculum.h"

namespace instantgp {

ComponentKind ComponentOf(const TrainingConfig& config, std::uint64_t index) {
  RandomStream random(config.seed, index, kMixtureSubstream);
  double u = random.Uniform();
  for (const MixtureComponent& component : config.mixture) {
    u -= component.share;
    if (u < 0) return component.kind;
  }
  return config.mixture.back().kind;
}

SimulatedSize DrawTrainingSize(const TrainingConfig& config, const CurriculumStage& stage, std::uint64_t index) {
  if (ComponentOf(config, index) == ComponentKind::kTables) return DrawTableSize(config.Tables(), config.seed, index);
  return DrawSize(OptionsFor(config, stage, index), config.seed, index);
}

Simulated DrawTrainingDataset(const TrainingConfig& config, const CurriculumStage& stage, std::uint64_t index,
                              SimulationWorkspace* workspace) {
  if (ComponentOf(config, index) == ComponentKind::kTables) {
    return SimulateTable(config.Tables(), config.seed, index, workspace);
  }
  return Simulate(OptionsFor(config, stage, index), config.seed, index, workspace);
}

}  // namespace instantgp

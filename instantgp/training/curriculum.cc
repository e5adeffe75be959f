#include "instantgp/training/curriculum.h"

#include <algorithm>

#include "instantgp/base/rng.h"

namespace instantgp {

CurriculumStage StageAt(const TrainingConfig& config, double progress) {
  CurriculumStage current;
  current.max_d = config.max_d;
  current.max_n = config.max_n;
  for (const CurriculumStage& stage : config.curriculum) {
    if (stage.from <= progress) current = stage;
  }
  return current;
}

SimulationOptions OptionsFor(const TrainingConfig& config, const CurriculumStage& stage, std::uint64_t index) {
  SimulationOptions options = config.Simulation();
  options.max_d = std::min(options.max_d, stage.max_d);
  options.max_n = std::min(options.max_n, stage.max_n);
  RandomStream random(config.seed, index, kCurriculumSubstream);
  const double u = random.Uniform();
  if (u < stage.small_share) {
    options.max_n = std::min(options.max_n, stage.small_n);
  } else if (u > 1 - stage.large_share) {
    options.min_n = options.max_n + 1;
    options.max_n = stage.large_n;
  }
  return options;
}

}  // namespace instantgp

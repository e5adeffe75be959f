// The experiments themselves: which cells they run and what they report. Internal to evaluate/.
#pragma once

#include "instantgp/evaluate/experiment.h"

namespace instantgp {

Experiment BenchmarkExperiment();
Experiment MapExperiment();
Experiment AhgpExperiment();
Experiment SimulatedExperiment();
Experiment SmallNExperiment();
Experiment FinetuneExperiment();
Experiment EnsembleExperiment();
Experiment QualitativeExperiment();
Experiment SymmetryExperiment();

// A seed of its own for every split of a run.
std::uint64_t SplitSeed(std::uint64_t seed, int split);

}  // namespace instantgp

// The experiments themselves: which tasks they run and what they report. Internal to experiments/.
#pragma once

#include "instantgp/experiments/run/experiment.h"

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
Experiment TablesExperiment();

// A seed of its own for every split of a run.
std::uint64_t SplitSeed(std::uint64_t seed, int split);

}  // namespace instantgp

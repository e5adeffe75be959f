// How the tables of a folder are divided into training and test rows. Internal to experiments/.
#pragma once

#include <cstdint>
#include <vector>

#include "instantgp/data/split.h"
#include "instantgp/experiments/protocols/real_splits.h"
#include "instantgp/experiments/run/experiment.h"

namespace instantgp {

// The options' number, or the default: 500, in a quick run 100.
int MostTrainingRows(const ExperimentOptions& options);

// Half of the rows at random for the test, and of the others at most `most_train` at random for training. The test
// rows do not depend on `most_train`, and fewer training rows are a part of more, so that runs of different sizes
// compare.
Split TableSplit(int n, int most_train, std::uint64_t seed);

// Every table of options.tables, by table, then split: the options' number of splits or the default, 3 (quick: 1).
// A table's split depends on the seed, the number of the split and the number of rows alone.
std::vector<RealSplit> TableSplits(const ExperimentOptions& options);

}  // namespace instantgp

// Real tables divided into training and test parts, and the fits on them. Internal to experiments/.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "instantgp/data/dataset.h"
#include "instantgp/data/split.h"
#include "instantgp/experiments/run/experiment.h"
#include "instantgp/kernel/structure_list.h"

namespace instantgp {

struct RealSplit {
  std::string dataset;
  int split = 0;
  std::uint64_t seed = 0;  // of this split, for whatever is random in fitting it
  Split rows;
  std::shared_ptr<const Dataset> table;

  Dataset Train() const { return SelectRows(*table, rows.train); }
  Dataset Test() const { return SelectRows(*table, rows.test); }
};

// The seven real datasets. Sizes as in the paper; 100 rows each in a quick run, which without a data folder has only
// the airline data that the library carries. By dataset, then split.
std::vector<RealSplit> RealSplits(const ExperimentOptions& options, int splits);

// A guess of what fitting one of them costs relative to others.
double RelativeCost(const RealSplit& split, std::size_t addends);

// One split with one kernel.
Task FitTask(const RealSplit& part, const std::string& kernel, double cost, const ExperimentOptions& options);

// Every split with every structure, fitted through the facade.
std::vector<Task> RealTasks(const ExperimentOptions& options, const std::vector<ColumnSymbols>& structures, int splits);

}  // namespace instantgp

// Methods compared on whatever tables a folder holds.
#include <algorithm>
#include <optional>

#include "instantgp/base/error.h"
#include "instantgp/experiments/protocols/protocols.h"
#include "instantgp/experiments/protocols/table_folder.h"
#include "instantgp/experiments/protocols/table_report.h"
#include "instantgp/experiments/protocols/table_splits.h"
#include "instantgp/experiments/run/score.h"
#include "instantgp/kernel/parse.h"

namespace instantgp {
namespace {

// A kernel that names columns may suit some tables only; elsewhere its fits fail, and their records say why. One that
// suits none is a mistake worth telling before anything runs.
void RequireASuitedTable(const std::string& kernel, const TableFolder& folder) {
  std::optional<Error> problem;
  for (const FolderTable& table : folder.tables) {
    try {
      ParseKernel(kernel, table.data->column_names);
      return;
    } catch (const Error& error) {
      if (!problem) problem = error;
    }
  }
  if (problem) throw Error(*problem);
}

std::vector<std::string> KernelsToCompare(const ExperimentOptions& options) {
  std::vector<std::string> kernels;
  for (const std::string& kernel : options.kernels) {
    RequireASuitedTable(kernel, *options.tables);
    if (std::find(kernels.begin(), kernels.end(), kernel) == kernels.end()) kernels.push_back(kernel);
  }
  if (kernels.empty()) kernels = {"SE"};
  return kernels;
}

std::vector<Task> TableTasks(const ExperimentOptions& options) {
  std::vector<Task> tasks;
  const std::vector<std::string> kernels = KernelsToCompare(options);
  for (const RealSplit& part : TableSplits(options)) {
    for (const std::string& kernel : kernels) tasks.push_back(FitTask(part, kernel, RelativeCost(part, 1), options));
  }
  return tasks;
}

}  // namespace

Experiment TablesExperiment() {
  return {"tables",
          "every CSV file of a folder of yours: methods next to ML, table by table and in summary",
          {"oneshot", kBareMethod, "refine", "ml"},
          {kBareMethod},
          TableTasks,
          TableReport,
          true};
}

}  // namespace instantgp

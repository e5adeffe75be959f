// What a comparison on the tables of a folder reports. Internal to experiments/.
#pragma once

#include <vector>

#include "instantgp/experiments/run/experiment.h"

namespace instantgp {

// Markdown: the summary of methods, every table, fits that failed, files left out. JSON: `tables`, `summary`,
// `skipped`. Figure: the RMSE divided by ml's and the NLL minus ml's of every table; RMSE and NLL themselves when ml is
// not among the methods.
Report TableReport(const std::vector<Record>& records, const ExperimentOptions& options);

}  // namespace instantgp

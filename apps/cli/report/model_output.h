// What `fit` and `search` give of a model, whichever way it was found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/options/data_options.h"
#include "apps/cli/report/explanation.h"
#include "apps/cli/report/fit_report.h"

namespace instantgp::cli {

// `model` must outlive the report.
FitReport ReportOn(const Model& model, const std::vector<std::string>& warnings, const LoadedData& loaded,
                   bool verbose);

// Predictions, the model's file and the plots that were asked for; `model` must outlive the results. Returns the
// explanation if one was.
std::optional<Explanation> AddModelOutput(const Model& model, const LoadedData& loaded, const DataOptions& data,
                                          const ExplainOptions& explain, Results& results);

}  // namespace instantgp::cli

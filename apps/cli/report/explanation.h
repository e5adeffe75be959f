// `--explain` of fit and search: what each addend of the kernel contributes.
#pragma once

#include <string>

#include "apps/cli/options/common.h"
#include "instantgp/data/dataset.h"
#include "instantgp/model/explain.h"

namespace instantgp::cli {

struct ExplainOptions {
  bool print = false;
  std::string plot;
};

// --explain --explain-plot.
void AddExplainOptions(CLI::App& command, ExplainOptions& options);

// A table: component, share of the variance, standard deviation in the units of y or of its transform.
std::string ExplanationText(const Explanation& explanation, const std::string& target_name);
Json ExplanationJson(const Explanation& explanation);

// Panels: the shares as bars, then the posterior of each component that depends on one column, mean and 95 percent band
// in the same units, with what the data leave for it: residuals of everything else.
std::string DecompositionPlot(const Model& model, const Explanation& explanation, const Dataset& train);

}  // namespace instantgp::cli

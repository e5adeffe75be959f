// What a request may ask for besides the report: predictions, plots, residuals, effects of columns.
#pragma once

#include <optional>

#include "apps/cli/options/data_options.h"
#include "apps/serve/api/endpoints.h"
#include "instantgp/model/explain.h"

namespace instantgp::serve {

struct ModelExtras {
  bool explain = false, explain_plot = false;  // shares of the components; the same as SVG
  bool plot = false;                           // the fit as SVG
  bool diagnostics = false;                    // every training row predicted from the others, and the rows held out
  bool effects = false;                        // mean and band along each column, the others at their medians
};

// explain, explain_plot, plot, diagnostics, effects.
ModelExtras ReadExtras(Fields& fields);

// With the predictions that the request asked for.
void AddExtras(const Call& call, const ModelExtras& extras, const Model& model, const cli::LoadedData& loaded,
               const std::optional<Explanation>& explanation, cli::Results& results);
// An ensemble has no explanation, and its rows are predicted from all of them.
void AddExtras(const Call& call, const ModelExtras& extras, const Ensemble& ensemble, const cli::LoadedData& loaded,
               cli::Results& results);

}  // namespace instantgp::serve

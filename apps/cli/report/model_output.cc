#include "apps/cli/report/model_output.h"

#include "apps/cli/report/predictive_plot.h"

namespace instantgp::cli {

FitReport ReportOn(const Model& model, const std::vector<std::string>& warnings, const LoadedData& loaded,
                   bool verbose) {
  return {ReportOnData(model, warnings, loaded, verbose), &model};
}

std::optional<Explanation> AddModelOutput(const Model& model, const LoadedData& loaded, const DataOptions& data,
                                          const ExplainOptions& explain, Results& results) {
  if (loaded.new_rows) {
    results.predictions = ComputePredictions(model, loaded.new_rows->X, {});
    results.prediction_scores = ScoreRows(model, *loaded.new_rows);
  }
  if (!data.model.empty()) {
    results.files.Add(data.model, [&model](const std::string& path) { SaveModel(model, path); });
  }
  if (!data.plot.empty()) {
    results.files.Add(data.plot, PredictivePlot(model, loaded.train, loaded.held_out ? &*loaded.held_out : nullptr));
  }
  if (!explain.print && explain.plot.empty()) return std::nullopt;
  Explanation explanation = Explain(model);
  if (!explain.plot.empty()) {
    results.files.Add(explain.plot, DecompositionPlot(model, explanation, loaded.train));
  }
  return explanation;
}

}  // namespace instantgp::cli

#include "apps/serve/api/diagnostics.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "apps/cli/report/explanation.h"
#include "apps/cli/report/predictions.h"
#include "apps/cli/report/predictive_plot.h"
#include "instantgp/model/spoken_columns.h"

namespace instantgp::serve {
namespace {

constexpr int kEffectPoints = 160;
constexpr int kMostEffects = 12;
constexpr int kMostDiagnosed = 5000;

cli::PredictionRequest RequestOf(const Call& call) {
  cli::PredictionRequest request;
  request.threads = 1;
  request.stop = call.request.stop;
  request.memory_limit = call.limits.memory;
  return request;
}

Json Observed(const Vector& y, const Vector& mean, const Vector& std, const char* how) {
  return {{"how", how}, {"observed", cli::ToJson(y)}, {"mean", cli::ToJson(mean)}, {"std", cli::ToJson(std)}};
}

// Left-out predictions come with an exact model for nothing; others predict the rows they have seen.
Json TrainingRows(const Call& call, const Model& model, const Dataset& train) {
  if (model.sparse() == nullptr && model.neighbours() == nullptr) {
    const LeaveOneOut loo = model.Loo();
    return Observed(train.y, loo.mean, loo.variance.cwiseSqrt(), "left out one at a time");
  }
  const cli::PredictionOutput output = cli::ComputePredictions(model, train.X, RequestOf(call));
  return Observed(train.y, output.mean, output.std, "training rows");
}

Json TrainingRows(const Call& call, const Ensemble& ensemble, const Dataset& train) {
  const cli::PredictionOutput output = cli::ComputePredictions(ensemble, train.X, RequestOf(call));
  return Observed(train.y, output.mean, output.std, "training rows");
}

double Median(Vector values) {
  auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <typename Fitted>
Json Effects(const Call& call, const Fitted& fitted, const Dataset& train) {
  Vector medians(train.columns());
  for (int k = 0; k < train.columns(); ++k) medians[k] = Median(train.X.col(k));
  Json list = Json::array();
  for (int k = 0; k < std::min(train.columns(), kMostEffects); ++k) {
    const double low = train.X.col(k).minCoeff(), high = train.X.col(k).maxCoeff();
    if (!(low < high)) continue;
    const bool level = IsLevel(train.recipe.get(), k);
    const Vector along = Vector::LinSpaced(level ? 2 : kEffectPoints, low, high);
    Matrix X = medians.transpose().replicate(along.size(), 1);
    X.col(k) = along;
    const cli::PredictionOutput output = cli::ComputePredictions(fitted, X, RequestOf(call));
    Json one = {{"column", train.column_names[static_cast<std::size_t>(k)]}, {"x", cli::ToJson(along)}};
    if (const std::string from = PlaceInWords(train.recipe.get(), k, low); !from.empty()) {
      one["from"] = from;
      one["to"] = PlaceInWords(train.recipe.get(), k, high);
    }
    one["mean"] = cli::ToJson(output.mean);
    one["lower95"] = cli::ToJson(output.lower95);
    one["upper95"] = cli::ToJson(output.upper95);
    list.push_back(std::move(one));
  }
  return list;
}

template <typename Fitted>
void AddShared(const Call& call, const ModelExtras& extras, const Fitted& fitted, const cli::LoadedData& loaded,
               cli::Results& results) {
  const Dataset* held_out = loaded.held_out ? &*loaded.held_out : nullptr;
  if (loaded.new_rows) {
    results.predictions = cli::ComputePredictions(fitted, loaded.new_rows->X, RequestOf(call));
    results.prediction_scores = cli::ScoreRows(fitted, *loaded.new_rows);
  }
  cli::AddPredicted(results);
  Json& document = results.document;
  if (extras.plot) document["plot"] = cli::PredictivePlot(fitted, loaded.train, held_out);
  if (extras.diagnostics && loaded.train.rows() <= kMostDiagnosed) {
    document["diagnostics"] = {{"training", TrainingRows(call, fitted, loaded.train)}};
    if (held_out != nullptr) {
      const cli::PredictionOutput output = cli::ComputePredictions(fitted, held_out->X, RequestOf(call));
      document["diagnostics"]["holdout"] = Observed(held_out->y, output.mean, output.std, "held out");
    }
  }
  if (extras.effects) document["effects"] = Effects(call, fitted, loaded.train);
}

}  // namespace

ModelExtras ReadExtras(Fields& fields) {
  return {fields.Flag("explain"), fields.Flag("explain_plot"), fields.Flag("plot"), fields.Flag("diagnostics"),
          fields.Flag("effects")};
}

void AddExtras(const Call& call, const ModelExtras& extras, const Model& model, const cli::LoadedData& loaded,
               const std::optional<Explanation>& explanation, cli::Results& results) {
  AddShared(call, extras, model, loaded, results);
  if (extras.explain_plot && explanation) {
    results.document["explain_plot"] = cli::DecompositionPlot(model, *explanation, loaded.train);
  }
}

void AddExtras(const Call& call, const ModelExtras& extras, const Ensemble& ensemble, const cli::LoadedData& loaded,
               cli::Results& results) {
  AddShared(call, extras, ensemble, loaded, results);
}

}  // namespace instantgp::serve

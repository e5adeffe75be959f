#include "apps/cli/report/documents.h"

#include <algorithm>

#include "apps/cli/report/explanation.h"
#include "instantgp/base/version.h"
#include "instantgp/model/weighting.h"

namespace instantgp::cli {
namespace {

// How probable each candidate is among all, by its score.
Vector Probabilities(const SearchResult& result, int n) {
  Vector scores(static_cast<Index>(result.candidates.size()));
  for (Index k = 0; k < scores.size(); ++k) scores[k] = -n * result.candidates[k].score;
  return SoftmaxWeights(scores);
}

Json CandidatesJson(const SearchResult& result, int n) {
  const Vector probability = Probabilities(result, n);
  Json list = Json::array();
  for (std::size_t k = 0; k < result.candidates.size(); ++k) {
    const Candidate& c = result.candidates[k];
    list.push_back({{"kernel", c.kernel},
                    {"kernel_short", c.kernel_short},
                    {"weight", probability[static_cast<Index>(k)]},
                    {"score", c.score},
                    {"nlml_per_point", c.nlml},
                    {"parameters", c.parameters},
                    {"refined", c.refined},
                    {"round", c.round},
                    {"words", c.words},
                    {"status", "ok"}});
  }
  return list;
}

void AddKernel(const Model& model, Json& document) { document["kernel"] = model.KernelText(); }

void AddKernel(const Ensemble& ensemble, Json& document) {
  document["kernels"] = Json::array();
  for (const EnsembleMember& member : ensemble.members()) document["kernels"].push_back(member.model.KernelText());
}

template <typename Fitted>
Json Predicted(const Fitted& fitted, const std::string& name, bool latent, const PredictionOutput& output,
               const std::optional<Scores>& scores, const std::vector<std::string>& warnings) {
  Json document;
  document["schema"] = "instantgp/predict/1";
  document["version"] = kVersion;
  document["model"] = name;
  AddKernel(fitted, document);
  document["target"] = fitted.target_name();
  document["n"] = output.mean.size();
  document["latent"] = latent;
  AddPredictions(output, document);
  if (scores) document["scores"] = ScoresToJson(*scores);
  document["warnings"] = warnings;
  return document;
}

}  // namespace

Json FitDocument(const FitReport& report, std::uint64_t seed, const std::optional<Explanation>& explanation,
                 const std::vector<ComparedFit>& comparison) {
  Json document;
  document["schema"] = "instantgp/fit/1";
  document.update(ReportJson(report));
  document["seed"] = seed;
  if (explanation) document["explanation"] = ExplanationJson(*explanation);
  if (!comparison.empty()) document["comparison"] = ComparisonJson(comparison);
  return document;
}

Json EnsembleDocument(const EnsembleReport& report, std::uint64_t seed) {
  Json document;
  document["schema"] = "instantgp/ensemble/1";
  document.update(ReportJson(report));
  document["seed"] = seed;
  return document;
}

Json SearchDocument(const SearchResult& result, const FitReport& report, std::uint64_t seed,
                    const std::optional<Explanation>& explanation) {
  Json document;
  document["schema"] = "instantgp/search/1";
  document.update(ReportJson(report));
  document["words"] = result.candidates.front().words;
  document["evaluated"] = result.evaluated;
  document["failed"] = result.failed;
  document["rounds"] = result.rounds;
  document["out_of_time"] = result.out_of_time;
  document["candidates"] = CandidatesJson(result, std::min(result.model.rows(), kSearchRows));
  document["seed"] = seed;
  if (explanation) document["explanation"] = ExplanationJson(*explanation);
  return document;
}

Json PredictDocument(const Model& model, const std::string& name, bool latent, const PredictionOutput& output,
                     const std::optional<Scores>& scores, const std::vector<std::string>& warnings) {
  return Predicted(model, name, latent, output, scores, warnings);
}

Json PredictDocument(const Ensemble& ensemble, const std::string& name, bool latent, const PredictionOutput& output,
                     const std::optional<Scores>& scores, const std::vector<std::string>& warnings) {
  return Predicted(ensemble, name, latent, output, scores, warnings);
}

Json UpdateDocument(const UpdateResult& result, const FitReport& report, Index added) {
  Json document;
  document["schema"] = "instantgp/update/1";
  document.update(ReportJson(report));
  document["added"] = added;
  document["reinferred"] = result.reinferred;
  const Drift& drift = result.drift;
  document["drift"] = {{"rows", drift.rows},
                       {"nll_standardized", drift.score},
                       {"expected_nll_standardized", drift.expected},
                       {"mean_square", drift.mean_square},
                       {"standard_score", drift.standard_score},
                       {"drifting", drift.drifting}};
  return document;
}

Json ForecastDocument(const ForecastLayout& layout, const std::vector<ForecastedSeries>& series, double total_ms,
                      double forecast_ms, const ForecastPriors& learned) {
  Json document;
  document["schema"] = "instantgp/forecast/1";
  document["series"] = Json::array();
  for (const ForecastedSeries& one : series) document["series"].push_back(ForecastJson(layout, one));
  if (const ForecastPriors::Learning& learning = learned.learning(); learning.series > 0) {
    Json& priors = document["learned_priors"] = {
        {"series", learning.series}, {"share", learning.share}, {"score", learning.score}, {"priors", Json::object()}};
    for (const auto& [name, prior] : learned.all()) priors["priors"][name] = {{"mean", prior.mean}, {"std", prior.std}};
  }
  document["time_ms"] = {{"total", total_ms}, {"forecast", forecast_ms}};
  document["warnings"] = Json::array();
  return document;
}

}  // namespace instantgp::cli

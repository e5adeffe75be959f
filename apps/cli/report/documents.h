// The documents of `--json`, which the HTTP service answers too: "schema" first, then what a command found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/options/common.h"
#include "apps/cli/report/comparison.h"
#include "apps/cli/report/ensemble_report.h"
#include "apps/cli/report/fit_report.h"
#include "apps/cli/report/forecast_report.h"
#include "apps/cli/report/predictions.h"
#include "instantgp/model/explain.h"
#include "instantgp/model/update.h"
#include "instantgp/search/search.h"

namespace instantgp::cli {

Json FitDocument(const FitReport& report, std::uint64_t seed, const std::optional<Explanation>& explanation,
                 const std::vector<ComparedFit>& comparison);

Json EnsembleDocument(const EnsembleReport& report, std::uint64_t seed);

// The report is on the result's model.
Json SearchDocument(const SearchResult& result, const FitReport& report, std::uint64_t seed,
                    const std::optional<Explanation>& explanation);

// `name` is what the caller called the model.
Json PredictDocument(const Model& model, const std::string& name, bool latent, const PredictionOutput& output,
                     const std::optional<Scores>& scores, const std::vector<std::string>& warnings);
Json PredictDocument(const Ensemble& ensemble, const std::string& name, bool latent, const PredictionOutput& output,
                     const std::optional<Scores>& scores, const std::vector<std::string>& warnings);

// The report is on the result's model.
Json UpdateDocument(const UpdateResult& result, const FitReport& report, Index added);

// With the priors where they were learned from the series.
Json ForecastDocument(const ForecastLayout& layout, const std::vector<ForecastedSeries>& series, double total_ms,
                      double forecast_ms, const ForecastPriors& learned = {});

}  // namespace instantgp::cli

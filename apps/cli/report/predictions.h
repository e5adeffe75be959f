// Predictions as CSV and as JSON, the same for `fit --predict` and `predict`.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "apps/cli/options/common.h"
#include "instantgp/model/ensemble.h"
#include "instantgp/model/model.h"
#include "instantgp/model/options.h"

namespace instantgp::cli {

struct PredictionRequest {
  Noise noise = Noise::kObserved;
  int samples = 0;
  bool cov = false;
  std::uint64_t seed = 0;
  int threads = 0;
  std::stop_token stop = {};                  // none: Ctrl-C
  double memory_limit = kDefaultMemoryLimit;  // of the joint covariance
};

struct PredictionOutput {
  Vector mean, std, lower95, upper95;  // (m)
  // Where the target is transformed, else empty: its median, and the moments of the transform.
  Vector median, transformed_mean, transformed_std;
  Matrix samples;  // (m, samples)
  Matrix cov;      // (m, m) or empty
};

// Throws Error(kLimit) when the joint covariance that --cov and --samples need exceeds the memory limit.
PredictionOutput ComputePredictions(const Model& model, const Matrix& X, const PredictionRequest& request);
// lower95 and upper95 are the mixture's quantiles.
PredictionOutput ComputePredictions(const Ensemble& ensemble, const Matrix& X, const PredictionRequest& request);

// mean, std, lower95, upper95, median where there is one, then sample1.. and cov1.. when asked for.
std::string PredictionsToCsv(const PredictionOutput& output);
void AddPredictions(const PredictionOutput& output, Json& document);
Json ScoresToJson(const Scores& scores);
std::string ScoresToText(const Scores& scores, const std::string& target);

}  // namespace instantgp::cli

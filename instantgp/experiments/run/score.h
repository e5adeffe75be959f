// Fits a method through the facade and scores it.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "instantgp/data/dataset.h"
#include "instantgp/experiments/run/record.h"
#include "instantgp/inference/trained_network.h"
#include "instantgp/model/model.h"

namespace instantgp {

// A method of experiments only: one-shot inference without its hypotheses from the data and without its step, so that
// the network alone is judged.
inline constexpr char kBareMethod[] = "bare";

struct FitSettings {
  std::uint64_t seed = 0;
  std::stop_token stop;
  const TrainedNetwork* network = nullptr;  // null: the embedded one
};

// Scores of a model on test rows, on targets standardised by the model's training part.
PredictiveScores ScoreModel(const Model& model, const Dataset& test);

// `method` is a name the facade knows (MethodFromName), or kBareMethod. One thread, so that times compare. Throws what
// Fit throws.
Record FitAndScore(const Dataset& train, const Dataset& test, const std::string& kernel, const std::string& method,
                   const FitSettings& settings);

}  // namespace instantgp

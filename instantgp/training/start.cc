#include "instantgp/training/start.h"

#include <algorithm>
#include <filesystem>

#include "instantgp/base/error.h"
#include "instantgp/network/more_hypotheses.h"
#include "instantgp/network/weights.h"

namespace instantgp {
namespace {

// Weights of one fit the other.
bool SameArchitecture(NetworkConfig a, NetworkConfig b) {
  for (NetworkConfig* config : {&a, &b}) {
    config->name.clear();
    config->trained_max_n = config->trained_max_d = 0;
  }
  return a == b;
}

// The weights of config.init_from as a start for config.network.
NetworkWeights InheritedWeights(const TrainingConfig& config) {
  NetworkWeights given = LoadWeights(config.init_from);
  if (given.config.hypotheses < config.network.hypotheses) {
    given = WithMoreHypotheses(given, config.network.hypotheses, config.seed);
  }
  if (!SameArchitecture(given.config, config.network)) {
    throw Error(ErrorCode::kBadInput, "the weights in '" + config.init_from +
                                          "' have a different architecture from this run's configuration; only the "
                                          "number of hypotheses may grow");
  }
  return given;
}

void CreateFolder(const std::string& folder) {
  if (HasCheckpoint(folder)) {
    throw Error(ErrorCode::kUsage, "'" + folder + "' already holds a training run; resume it or choose another folder",
                {{"resume"}});
  }
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(ErrorCode::kFailure, "cannot create the folder '" + folder + "': " + error.message());
}

}  // namespace

double ProgressOf(const TrainingConfig& config, const TrainingState& state) {
  const double spent = config.datasets > 0 ? static_cast<double>(state.datasets - state.leg_datasets)
                                           : state.seconds - state.leg_seconds;
  const double budget = config.datasets > 0 ? static_cast<double>(config.datasets - state.leg_datasets)
                                            : config.minutes * 60 - state.leg_seconds;
  return budget > 0 ? std::min(1.0, spent / budget) : 1.0;
}

TrainingState FirstState(const TrainingConfig& config, const Network<float>& network, const std::string& folder) {
  TrainingState state;
  if (config.init_from.empty()) {
    state.weights.resize(network.num_weights());
    network.Initialize(state.weights.data(), config.seed);
  } else {
    NetworkWeights given = InheritedWeights(config);
    state.weights = std::move(given.values);
    state.inherited = given.datasets_seen;
  }
  state.average = state.weights;
  state.moment1.assign(state.weights.size(), 0.0f);
  state.moment2.assign(state.weights.size(), 0.0f);
  if (!folder.empty()) CreateFolder(folder);  // last: a run that cannot start leaves nothing behind
  return state;
}

TrainingState ResumedState(const TrainingConfig& config, const std::string& folder) {
  Checkpoint checkpoint = ReadCheckpoint(folder);
  if (!SameArchitecture(checkpoint.config.network, config.network)) {
    throw Error(ErrorCode::kBadInput,
                "the checkpoint in '" + folder +
                    "' belongs to another network; resume it with its own config or start a new run in another folder");
  }
  if (checkpoint.config.seed != config.seed) {
    throw Error(ErrorCode::kBadInput, "the checkpoint in '" + folder + "' has seed " +
                                          std::to_string(checkpoint.config.seed) + ", not " +
                                          std::to_string(config.seed) + "; the seed of a run cannot change");
  }
  TrainingState state = std::move(checkpoint.state);
  if (ProgressOf(checkpoint.config, state) >= 1 && ProgressOf(config, state) < 1) {
    ++state.legs;
    state.leg_step = state.step;
    state.leg_datasets = state.datasets;
    state.leg_seconds = state.seconds;
  }
  return state;
}

}  // namespace instantgp

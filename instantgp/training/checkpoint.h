// The state of a run and its file: all that is needed to go on bit for bit.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "instantgp/training/config.h"

namespace instantgp {

struct TrainingState {
  std::vector<float> weights;
  std::vector<float> average;  // running average of the weights: what is validated and written as result
  std::vector<float> moment1;
  std::vector<float> moment2;

  std::int64_t step = 0;
  std::int64_t datasets = 0;   // drawn so far; also the index of the next one
  std::int64_t inherited = 0;  // datasets the weights it started from (init_from) had seen
  std::int64_t skipped = 0;
  double seconds = 0;  // spent in the training loop

  // A finished run that is given a larger budget starts a new leg: warm-up and schedule begin anew, the curriculum does
  // not.
  int legs = 0;
  std::int64_t leg_step = 0;
  std::int64_t leg_datasets = 0;
  double leg_seconds = 0;

  double best_score = std::numeric_limits<double>::infinity();
  std::int64_t validated_datasets = 0;  // at the last validation
  double validated_seconds = 0;
  // Sums since the last validation, for the log.
  double window_loss = 0;
  double window_norm = 0;
  std::int64_t window_used = 0;
  std::int64_t window_steps = 0;
  std::int64_t window_clipped = 0;
  // Bytes of the logs that belong to this state.
  std::int64_t csv_bytes = 0;
  std::int64_t jsonl_bytes = 0;
};

struct Checkpoint {
  TrainingConfig config;
  TrainingState state;
};

// A safetensors file with the arrays as tensors, config and counters as metadata.
std::string SerializeCheckpoint(const TrainingConfig& config, const TrainingState& state);
// Error(kBadInput) when the bytes are damaged or the arrays do not fit the config. `origin` names the source in
// messages.
Checkpoint ParseCheckpoint(std::string_view bytes, const std::string& origin);

// FOLDER/checkpoint.safetensors; the one before stays beside it as checkpoint.previous.safetensors. The old file is
// complete until the new one is in place, so a crash at any moment loses at most what came after the last checkpoint.
// Error(kFailure) when the folder cannot be written; the files there are then as before.
void WriteCheckpoint(const std::string& folder, const TrainingConfig& config, const TrainingState& state);

bool HasCheckpoint(const std::string& folder);

// Error(kBadInput) when there is none, it is damaged (the message names the previous one if that exists) or its arrays
// do not fit its own config.
Checkpoint ReadCheckpoint(const std::string& folder);

}  // namespace instantgp

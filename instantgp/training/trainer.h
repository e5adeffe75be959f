// A training run in a folder: start, go on, stop, and what it tells while running.
//
// The folder holds config.json, checkpoint.safetensors (+ .previous), best.safetensors (the averaged weights with the
// best validation score so far), last.safetensors (those at the end), log.csv, log.jsonl, curve.svg and type2.json.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "instantgp/training/checkpoint.h"
#include "instantgp/training/communicator.h"
#include "instantgp/training/config.h"
#include "instantgp/training/log.h"

namespace instantgp {

struct TrainingProgress {
  std::int64_t step = 0;
  std::int64_t datasets = 0;
  double progress = 0;  // share of the budget of this leg
  double loss = 0;      // running mean over about the last 50 steps
  double learning_rate = 0;
  double datasets_per_second = 0;
  double seconds_left = 0;
  std::int64_t skipped = 0;
  int max_d = 0;  // the most columns drawn at this stage
};

// Called on rank 0 only, from the thread that called Train.
struct TrainingCallbacks {
  std::function<void(const TrainingProgress&)> on_step;
  std::function<void(const LogRecord&, bool best)> on_validation;
  std::function<void(const std::string& what)> on_event;  // "fitting type-2 ML on the validation set", ...
};

struct TrainingOptions {
  std::string folder;  // created if need be; empty: nothing is written and nothing resumed
  bool resume = false;
  int threads = 0;  // 0: as the machine has
  TrainingCallbacks callbacks;
  std::stop_token stop;
};

struct TrainingSummary {
  bool interrupted = false;
  TrainingState state;
  std::vector<LogRecord> records;
};

// Runs until the budget is spent or a stop is requested; either way ends with a checkpoint. With options.resume the run
// goes on from the folder's checkpoint: `config` may differ from the checkpoint's in everything but network and seed. A
// finished run with a larger budget starts a new leg.
//
// Errors: kUsage when the folder already holds a run and resume is off; kBadInput for a config that does not fit the
// weights or a damaged checkpoint; kFailure when the folder cannot be written; kNumerical when no dataset can be used
// any more.
TrainingSummary Train(const TrainingConfig& config, const TrainingOptions& options, Communicator& communicator);

}  // namespace instantgp

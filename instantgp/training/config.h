// Everything a training run depends on, as data: read from JSON, written back in full.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "instantgp/network/config.h"
#include "instantgp/simulate/distribution.h"
#include "instantgp/simulate/tables.h"

namespace instantgp {

enum class OptimizerKind { kRAdam, kAdamW };

struct OptimizerConfig {
  OptimizerKind kind = OptimizerKind::kRAdam;
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-8;
  double weight_decay = 0;  // decoupled: w -= rate * weight_decay * w
  double clip_norm = 1;     // of the batch's mean gradient; 0: no clipping
  double averaging = 0.01;  // the averaged weights move by this share towards the weights at every step
  friend bool operator==(const OptimizerConfig&, const OptimizerConfig&) = default;
};

enum class ScheduleKind {
  kConstant,  // the peak rate after the warm-up
  kCosine,    // one half cosine from the peak to peak * final_fraction
  kRestart    // `cycles` half cosines, each `cycle_growth` times as long as the one before
};

struct ScheduleConfig {
  ScheduleKind kind = ScheduleKind::kCosine;
  double peak = 1.2e-3;
  int warmup_steps = 200;
  double final_fraction = 0.02;
  int cycles = 1;
  double cycle_growth = 1;
  friend bool operator==(const ScheduleConfig&, const ScheduleConfig&) = default;
};

// Phase 1: NLML of the best hypothesis, and a little of the others so that none dies out.
// Phase 2: positives only, nlml_weight * NLML + noise_weight * (true - predicted noise standard deviation)^2.
struct LossConfig {
  int phase = 1;
  double other_probability = 0.15;  // each hypothesis that is not the best joins the loss with this probability ...
  double other_weight = 0.3;        // ... and this weight
  int noise_rungs = 0;       // in use noise goes down by tenths (inference/spread.h); this many in training too ...
  double rung_weight = 0.5;  // ... and where that is lower, it has this weight and the noise as decoded the rest
  double output_clip = 1;    // bound on the norm of one dataset's d(loss)/d(outputs); 0: none
  double nlml_weight = 10;
  double noise_weight = 1;
  friend bool operator==(const LossConfig&, const LossConfig&) = default;
};

// What the training data are drawn from: a share of each component. In JSON a component is {"name", "share"} and, for
// "tables", its settings.
enum class ComponentKind {
  kPaper,  // simulate/distribution.h with the settings at the top of the config, cut by the curriculum
  kTables  // simulate/tables.h, never cut
};
struct MixtureComponent {
  ComponentKind kind = ComponentKind::kPaper;
  double share = 1;
  TableOptions tables;  // "tables" only: sizes, same_symbols_p, nearly_linear_p
};

// In force from progress `from` (share of the budget spent) until the next stage. Limits above those of the simulation
// do not widen them, except large_n.
struct CurriculumStage {
  double from = 0;
  int max_d = 8;
  int max_n = 250;
  int small_n = 100;  // share `small_share` of the datasets has n <= small_n
  double small_share = 0;
  int large_n = 512;  // share `large_share` has max_n < n <= large_n
  double large_share = 0;
  friend bool operator==(const CurriculumStage&, const CurriculumStage&) = default;
};

// The paper's distribution is always validated on; tables when the mixture holds them.
struct ValidationConfig {
  std::uint64_t seed = 770077;         // must differ from the training seed
  int datasets = 250;                  // every other one a positive
  std::uint64_t tables_seed = 880088;  // must differ from the training seed
  int tables_datasets = 250;           // all positives
  double gap_limit = 1;                // a gap counts up to this in the score that selects weights
  std::int64_t every_datasets = 0;     // 0: by time
  double every_minutes = 1;
  bool type2 = true;  // also the gap to type-2 maximum likelihood, fitted once per run folder
  friend bool operator==(const ValidationConfig&, const ValidationConfig&) = default;
};

struct TrainingConfig {
  NetworkConfig network;  // in JSON: a preset's name, an object, or an object with "preset" and what differs from it
  std::uint64_t seed = 1;
  std::int64_t datasets = 0;  // the budget: datasets or minutes, the other one 0
  double minutes = 0;
  int batch = 16;
  int lanes = 4;  // partial sums of a batch's gradient; bounds the threads and ranks that can share a step
  OptimizerConfig optimizer;
  ScheduleConfig schedule;
  LossConfig loss;
  int min_n = 10;
  int max_n = 250;
  int max_d = 8;
  double addend_p = 0.6;
  double dimension_p = 0.25;
  double positive_p = 0.5;
  std::vector<MixtureComponent> mixture = {MixtureComponent{}};  // the paper's distribution alone
  std::vector<CurriculumStage> curriculum;                       // ascending in `from`; empty: the full range at once
  ValidationConfig validation;
  double checkpoint_minutes = 3;
  std::int64_t checkpoint_steps = 0;  // in addition to the above, every so many steps; 0: by time only
  std::string init_from;              // weights to start from; empty: random

  // Throws Error(kBadInput) naming the key.
  void Validate() const;
  // The paper's distribution with the network's symbols, before the curriculum; positives only in phase 2.
  SimulationOptions Simulation() const;
  // The component of that kind, or null.
  const MixtureComponent* Find(ComponentKind kind) const;
  // The tables component's distribution, likewise; a config without one is a bug.
  TableOptions Tables() const;
  // The largest n and d any stage of any component draws.
  int LargestN() const;
  int LargestD() const;
};

// The preset `base` with the curriculum of docs/training.md; no budget yet.
TrainingConfig DefaultTrainingConfig();

// Keys that are missing keep the value of DefaultTrainingConfig(); unknown or ill-typed keys are Error(kBadInput). Does
// not call Validate(): the budget may still come from the command line. `origin` names the source in messages.
TrainingConfig ParseTrainingConfig(std::string_view json, const std::string& origin);
// Every key, indented.
std::string ToJson(const TrainingConfig& config);
// "schedule.peak=1e-3": the value is JSON, or else a string. Error(kUsage) when the key does not exist.
TrainingConfig WithOverride(const TrainingConfig& config, const std::string& assignment);

}  // namespace instantgp

#include "instantgp/training/config.h"

#include <algorithm>
#include <cmath>

#include "instantgp/base/check.h"
#include "instantgp/base/error.h"

namespace instantgp {
namespace {

void Require(bool condition, const std::string& message) {
  if (!condition) throw Error(ErrorCode::kBadInput, "training config: " + message);
}

bool IsShare(double value) { return value >= 0 && value <= 1; }

void CheckMixture(const std::vector<MixtureComponent>& mixture) {
  Require(!mixture.empty(), "'mixture' must name at least one component: paper or tables");
  double total = 0;
  for (std::size_t i = 0; i < mixture.size(); ++i) {
    Require(mixture[i].share > 0 && mixture[i].share <= 1, "'mixture': every share must lie in (0, 1]");
    total += mixture[i].share;
    for (std::size_t j = 0; j < i; ++j) {
      Require(mixture[i].kind != mixture[j].kind, "'mixture' names the same component twice");
    }
    if (mixture[i].kind != ComponentKind::kTables) continue;
    Require(mixture[i].tables.max_d <= 64, "'mixture', tables: max_d must lie in 1..64");
    Require(mixture[i].tables.max_n <= 4096 && mixture[i].tables.large_n <= 4096,
            "'mixture', tables: max_n and large_n must be at most 4096");
  }
  Require(std::abs(total - 1) < 1e-9,
          "the shares in 'mixture' must add up to 1, but they add up to " + std::to_string(total));
}

std::vector<BaseSymbol> SymbolsOf(const NetworkConfig& network) {
  std::vector<BaseSymbol> symbols;
  for (const BaseSymbol symbol : kAllBaseSymbols) {
    const auto& names = network.symbols;
    if (std::find(names.begin(), names.end(), Name(symbol)) != names.end()) symbols.push_back(symbol);
  }
  return symbols;
}

}  // namespace

TrainingConfig DefaultTrainingConfig() {
  TrainingConfig config;
  config.network = NetworkPreset("base");
  // d = 1 until 18 % of the budget, then one more dimension about every 4 % up to 8 at 45 %: without it the network
  // stays on the plateau where it predicts per-structure averages. Small n first: a dataset with n <= 100 costs a
  // third.
  const auto add = [&](double from, int max_d, double small_share) {
    CurriculumStage stage;
    stage.from = from;
    stage.max_d = max_d;
    stage.small_share = small_share;
    config.curriculum.push_back(stage);
  };
  add(0, 1, 0.5);
  add(0.18, 2, 0.5);
  add(0.22, 3, 0.5);
  add(0.26, 4, 0.4);
  add(0.30, 5, 0.4);
  add(0.35, 6, 0.3);
  add(0.40, 7, 0.3);
  add(0.45, 8, 0.25);
  add(0.70, 8, 0);
  return config;
}

void TrainingConfig::Validate() const {
  network.Validate();
  Require((datasets > 0) != (minutes > 0), "give a budget: either 'datasets' or 'minutes' must be above 0, not both");
  Require(datasets >= 0 && minutes >= 0, "'datasets' and 'minutes' must not be negative");
  Require(batch >= 1 && batch <= 65536, "'batch' must lie in 1..65536");
  Require(lanes >= 1 && lanes <= batch, "'lanes' must lie in 1..batch");
  const OptimizerConfig& o = optimizer;
  Require(o.beta1 >= 0 && o.beta1 < 1 && o.beta2 > 0 && o.beta2 < 1,
          "'optimizer.beta1' and 'beta2' must lie in (0, 1)");
  Require(o.epsilon > 0, "'optimizer.epsilon' must be above 0");
  Require(o.weight_decay >= 0 && o.clip_norm >= 0, "'optimizer.weight_decay' and 'clip_norm' must not be negative");
  Require(o.averaging > 0 && o.averaging <= 1, "'optimizer.averaging' must lie in (0, 1]");
  const ScheduleConfig& s = schedule;
  Require(s.peak > 0 && s.peak < 1, "'schedule.peak' must lie in (0, 1)");
  Require(s.warmup_steps >= 0, "'schedule.warmup_steps' must not be negative");
  Require(IsShare(s.final_fraction), "'schedule.final_fraction' must lie in [0, 1]");
  Require(s.cycles >= 1 && s.cycles <= 1000 && s.cycle_growth > 0,
          "'schedule.cycles' and 'cycle_growth' must be positive");
  Require(loss.phase == 1 || loss.phase == 2, "'loss.phase' must be 1 or 2");
  Require(IsShare(loss.other_probability) && loss.other_weight >= 0, "'loss.other_probability' must lie in [0, 1]");
  Require(loss.noise_rungs >= 0 && loss.noise_rungs <= 8 && IsShare(loss.rung_weight),
          "'loss.noise_rungs' must lie in 0..8 and 'rung_weight' in [0, 1]");
  Require(loss.output_clip >= 0 && loss.nlml_weight > 0 && loss.noise_weight >= 0,
          "'loss.output_clip' and 'noise_weight' must not be negative, 'nlml_weight' must be positive");
  Require(min_n >= 1 && max_n >= min_n && max_n <= 4096,
          "'min_n' and 'max_n' must satisfy 1 <= min_n <= max_n <= 4096");
  Require(max_d >= 1 && max_d <= 64, "'max_d' must lie in 1..64");
  for (std::size_t i = 0; i < curriculum.size(); ++i) {
    const CurriculumStage& stage = curriculum[i];
    Require(i > 0 ? stage.from > curriculum[i - 1].from : stage.from == 0,
            "'curriculum' must start at from = 0 and ascend");
    Require(stage.max_d >= 1 && stage.max_n >= min_n, "'curriculum': max_d and max_n must reach the smallest dataset");
    Require(IsShare(stage.small_share) && IsShare(stage.large_share) && stage.small_share + stage.large_share <= 1,
            "'curriculum': small_share and large_share must lie in [0, 1] and not exceed 1 together");
    Require(stage.small_share == 0 || stage.small_n >= min_n, "'curriculum': small_n is below min_n");
    Require(stage.large_share == 0 || (stage.large_n > std::min(stage.max_n, max_n) && stage.large_n <= 4096),
            "'curriculum': large_n must be above max_n and at most 4096");
  }
  Require(validation.seed != seed, "'validation.seed' must differ from 'seed': the validation set is never trained on");
  Require(validation.tables_seed != seed,
          "'validation.tables_seed' must differ from 'seed': the validation set is never trained on");
  Require(validation.datasets >= 2 && validation.every_datasets >= 0, "'validation.datasets' must be at least 2");
  Require(validation.tables_datasets >= 1, "'validation.tables_datasets' must be at least 1");
  Require(validation.gap_limit > 0, "'validation.gap_limit' must be above 0");
  Require(validation.every_datasets > 0 || validation.every_minutes > 0,
          "'validation.every_minutes' must be above 0 without 'every_datasets'");
  Require(checkpoint_minutes > 0 && checkpoint_steps >= 0, "'checkpoint_minutes' must be above 0");
  CheckMixture(mixture);
  try {
    Simulation().Validate();
    if (Find(ComponentKind::kTables)) Tables().Validate();
  } catch (const Error& error) {
    throw Error(ErrorCode::kBadInput, std::string("training config: ") + error.what());
  }
}

SimulationOptions TrainingConfig::Simulation() const {
  SimulationOptions options;
  options.min_n = min_n;
  options.max_n = max_n;
  options.max_d = max_d;
  options.addend_p = addend_p;
  options.dimension_p = dimension_p;
  options.positive_p = positive_p;
  options.positives_only = loss.phase == 2;
  options.symbols = SymbolsOf(network);
  return options;
}

const MixtureComponent* TrainingConfig::Find(ComponentKind kind) const {
  const auto found = std::find_if(mixture.begin(), mixture.end(), [&](const auto& part) { return part.kind == kind; });
  return found == mixture.end() ? nullptr : &*found;
}

TableOptions TrainingConfig::Tables() const {
  const MixtureComponent* component = Find(ComponentKind::kTables);
  INSTANTGP_CHECK(component != nullptr);
  TableOptions options = component->tables;
  options.positive_p = positive_p;
  options.positives_only = loss.phase == 2;
  options.symbols = SymbolsOf(network);
  return options;
}

int TrainingConfig::LargestN() const {
  int largest = 0;
  if (Find(ComponentKind::kPaper)) {
    if (curriculum.empty()) largest = max_n;
    for (const CurriculumStage& stage : curriculum) {
      largest = std::max(largest, stage.large_share > 0 ? stage.large_n : std::min(stage.max_n, max_n));
    }
  }
  if (const MixtureComponent* component = Find(ComponentKind::kTables)) {
    const TableOptions& tables = component->tables;
    largest = std::max(largest, tables.large_share > 0 ? tables.large_n : tables.max_n);
  }
  return largest;
}

int TrainingConfig::LargestD() const {
  int largest = Find(ComponentKind::kPaper) ? max_d : 0;
  if (const MixtureComponent* component = Find(ComponentKind::kTables)) {
    largest = std::max(largest, component->tables.max_d);
  }
  return largest;
}

}  // namespace instantgp

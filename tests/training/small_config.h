// A run small enough for a test: a few thousand weights, tiny datasets, budget in datasets so that it repeats bit for
// bit.
#pragma once

#include <filesystem>
#include <string>

#include "instantgp/training/config.h"

namespace instantgp::testing {

inline TrainingConfig SmallConfig() {
  TrainingConfig config = DefaultTrainingConfig();
  NetworkConfig& network = config.network;
  network.t1 = network.t2 = {8, 1, 8};
  network.t3 = network.t4 = {16, 1, 16};
  network.kernel1 = network.cross = network.kernel2 = {8, 1, 8};
  network.heads = 2;
  network.symbol_head = {8};
  network.noise_head = {8};
  network.pair_hidden = 8;
  network.hypotheses = 2;
  config.seed = 5;
  config.batch = 8;
  config.lanes = 4;
  config.min_n = 8;
  config.max_n = 20;
  config.max_d = 3;
  for (CurriculumStage& stage : config.curriculum) stage.small_n = 12;
  config.schedule.warmup_steps = 10;
  config.schedule.peak = 3e-3;
  config.validation.datasets = 12;
  config.validation.every_datasets = 160;
  config.validation.type2 = false;
  config.checkpoint_minutes = 1e6;
  return config;
}

// The same with six in ten datasets from small tables, and no curriculum.
inline TrainingConfig SmallMixture() {
  TrainingConfig config = SmallConfig();
  config.curriculum.clear();
  MixtureComponent tables;
  tables.kind = ComponentKind::kTables;
  tables.share = 0.6;
  tables.tables.max_n = 24;
  tables.tables.max_d = 10;
  tables.tables.max_cells = 160;
  tables.tables.large_n = 40;
  config.mixture[0].share = 0.4;
  config.mixture.push_back(tables);
  config.validation.tables_datasets = 9;
  return config;
}

// A folder of its own, gone with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "instantgp-train-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace instantgp::testing

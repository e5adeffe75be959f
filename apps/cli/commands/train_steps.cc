#include "apps/cli/commands/train_steps.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "apps/cli/terminal/interrupt.h"
#include "apps/cli/terminal/progress.h"
#include "apps/cli/terminal/terminal.h"
#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/data/csv.h"
#include "instantgp/inference/embedded_weights.h"
#include "instantgp/network/weights.h"
#include "instantgp/training/step_training.h"

namespace instantgp::cli {
namespace {

std::string CsvOf(const std::vector<StepValidation>& validations) {
  std::string text = "datasets,paper_nll,paper_nll_constant,tables_nll,tables_nll_constant\n";
  for (const StepValidation& v : validations) {
    char line[160];
    std::snprintf(line, sizeof line, "%lld,%.5f,%.5f,%.5f,%.5f\n", static_cast<long long>(v.datasets), v.paper,
                  v.paper_constant, v.tables, v.tables_constant);
    text += line;
  }
  return text;
}

// Every table with enough rows to learn from some and hold others out.
std::vector<Dataset> TablesIn(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".csv") paths.push_back(entry.path().string());
  }
  if (error) throw Error(ErrorCode::kBadInput, "cannot read the folder '" + folder + "': " + error.message());
  std::sort(paths.begin(), paths.end());
  std::vector<Dataset> tables;
  for (const std::string& path : paths) {
    Dataset table = ReadCsv(path);
    if (table.rows() >= 30) tables.push_back(std::move(table));
  }
  if (tables.empty()) {
    throw Error(ErrorCode::kBadInput, "'" + folder + "' holds no CSV file with at least 30 rows");
  }
  return tables;
}

std::string SpokenValidation(const StepValidation& v) {
  return "validation at " + std::to_string(v.datasets) + " datasets: held-out NLL " + Short(v.paper) +
         " (constant pull " + Short(v.paper_constant) + "); on tables " + Short(v.tables) + " (" +
         Short(v.tables_constant) + ")";
}

}  // namespace

void RunTrainSteps(const TrainingConfig& config, const std::string& folder, const std::string& data,
                   const CommonOptions& common) {
  NetworkWeights weights = config.init_from.empty() ? ParseWeights(EmbeddedWeights(), "the embedded weights")
                                                    : LoadWeights(config.init_from);
  if (std::filesystem::exists(folder + "/last.safetensors")) {
    throw Error(ErrorCode::kUsage, "'" + folder + "' already holds a training run; choose another folder");
  }
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(ErrorCode::kFailure, "cannot create the folder '" + folder + "': " + error.message());
  WriteFileAtomically(folder + "/config.json", ToJson(config));

  const TrainedNetwork network(weights);
  if (!data.empty() && config.Find(ComponentKind::kTables) == nullptr) {
    throw Error(ErrorCode::kUsage,
                "--data adds real tables to those of the mixture, and the mixture has no \"tables\"; "
                "start from configs/steps.json");
  }
  StatusLine line(common.quiet);
  StepTrainingOptions options;
  options.threads = common.threads;
  options.stop = StopToken();
  if (!data.empty()) options.tables = TablesIn(data);
  auto last = std::chrono::steady_clock::now();
  options.on_step = [&](std::int64_t datasets) {
    const auto now = std::chrono::steady_clock::now();
    if (std::chrono::duration<double>(now - last).count() < (line.terminal() ? 0.2 : 30.0)) return;
    last = now;
    line.Show(std::to_string(datasets) + " of " + std::to_string(config.datasets) + " datasets");
  };
  options.on_validation = [&](const StepValidation& v) { line.Say(SpokenValidation(v)); };
  StepTraining training = TrainSteps(network, config, options);

  weights.steps = training.weights;
  OutputFiles files;
  files.Add(folder + "/log.csv", CsvOf(training.validations));
  files.Add(folder + "/last.safetensors", SerializeWeights(weights));
  files.Write(common.quiet);
  const StepValidation& v = training.validations.back();
  if (common.json) {
    WriteStdout(JsonText({{"schema", "instantgp/train/1"},
                          {"folder", folder},
                          {"finished", !training.interrupted},
                          {"datasets", training.weights.datasets_seen},
                          {"validation",
                           {{"paper_nll", v.paper},
                            {"paper_nll_constant", v.paper_constant},
                            {"tables_nll", v.tables},
                            {"tables_nll_constant", v.tables_constant}}}}));
  } else {
    WriteStdout(
        FormatTable({{"datasets", std::to_string(training.weights.datasets_seen)},
                     {"held-out NLL", Short(v.paper) + "  with a constant pull " + Short(v.paper_constant)},
                     {"the same on tables", Short(v.tables) + "  with a constant pull " + Short(v.tables_constant)},
                     {"folder", folder}},
                    2));
  }
  if (training.interrupted) {
    throw Error(ErrorCode::kInterrupted, "stopped after " + std::to_string(training.weights.datasets_seen) +
                                             " datasets; what was learned until then is in " + folder +
                                             "/last.safetensors");
  }
}

}  // namespace instantgp::cli

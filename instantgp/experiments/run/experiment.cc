#include "instantgp/experiments/run/experiment.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/base/stopwatch.h"
#include "instantgp/experiments/protocols/protocols.h"
#include "instantgp/experiments/protocols/table_folder.h"
#include "instantgp/experiments/protocols/table_splits.h"
#include "instantgp/experiments/run/fingerprint.h"
#include "instantgp/experiments/run/store.h"
#include "instantgp/inference/embedded_weights.h"
#include "instantgp/model/fit.h"

namespace instantgp {
namespace {

constexpr double kSaveEvery = 2000;  // milliseconds: tasks of small tables are faster than a disk

bool Contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

std::string Joined(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& name : list) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::vector<std::string> ResolveMethods(const Experiment& experiment, const ExperimentOptions& options) {
  const auto known = [&](const std::string& method) {
    return MethodFromName(method).has_value() || Contains(experiment.special_methods, method);
  };
  std::vector<std::string> methods;
  for (const std::string& method : options.methods) {
    if (!known(method)) {
      const std::string special = Joined(experiment.special_methods);
      throw Error(ErrorCode::kUsage, "there is no method '" + OneLine(method) + "'; use " + ListMethods() +
                                         (special.empty() ? "" : ", " + special));
    }
    if (!Contains(methods, method)) methods.push_back(method);
  }
  if (!methods.empty()) return methods;
  std::copy_if(experiment.methods.begin(), experiment.methods.end(), std::back_inserter(methods), known);
  return methods;
}

// What records depend on besides their own names. Splits and methods may grow from run to run.
std::string SettingsOf(const Experiment& experiment, const ExperimentOptions& options) {
  std::string weights =
      Fingerprint(options.weights.empty() ? EmbeddedWeights() : std::string_view(ReadFile(options.weights)));
  if (!options.weights_before.empty()) weights += " " + Fingerprint(ReadFile(options.weights_before));
  nlohmann::ordered_json settings = {{"schema", "instantgp/evaluate-run/1"},
                                     {"experiment", experiment.name},
                                     {"seed", options.seed},
                                     {"quick", options.quick},
                                     {kWeightsKey, weights},
                                     {kAhgpWeightsKey, Fingerprint(EmbeddedAhgpWeights())}};
  if (options.tables != nullptr) {
    settings["rows"] = MostTrainingRows(options);
    nlohmann::ordered_json& tables = settings[kTablesKey] = nlohmann::ordered_json::object();
    for (const FolderTable& table : options.tables->tables) tables[table.name] = table.fingerprint;
  }
  return settings.dump(1) + "\n";
}

}  // namespace

void ExperimentOptions::Validate() const {
  if (out.empty()) throw Error(ErrorCode::kUsage, "an experiment needs a folder for its results", {{"out", "DIR"}});
  if (splits < 0) throw Error(ErrorCode::kUsage, "splits must not be negative, got " + std::to_string(splits));
  if (threads < 0) throw Error(ErrorCode::kUsage, "threads must not be negative, got " + std::to_string(threads));
  if (rows < 0 || rows == 1) {
    throw Error(ErrorCode::kUsage, "rows must be at least 2, got " + std::to_string(rows), {{"rows"}});
  }
}

const std::vector<Experiment>& Experiments() {
  static const std::vector<Experiment> list = {
      SimulatedExperiment(), BenchmarkExperiment(), AhgpExperiment(),        EnsembleExperiment(), SmallNExperiment(),
      FinetuneExperiment(),  MapExperiment(),       QualitativeExperiment(), SymmetryExperiment(), TablesExperiment()};
  return list;
}

const Experiment& FindExperiment(const std::string& name) {
  std::vector<std::string> names;
  for (const Experiment& experiment : Experiments()) {
    if (experiment.name == name) return experiment;
    names.push_back(experiment.name);
  }
  const std::string nearest = Nearest(name, names);
  throw Error(ErrorCode::kUsage, "there is no experiment '" + OneLine(name) + "'" +
                                     (nearest.empty() ? "" : "; did you mean " + nearest + "?") +
                                     " The experiments are " + Joined(names));
}

ExperimentResult RunExperiment(const Experiment& experiment, const ExperimentOptions& requested) {
  requested.Validate();
  ExperimentOptions options = requested;
  if (!experiment.any_tables && (!options.kernels.empty() || options.rows > 0)) {
    throw Error(ErrorCode::kUsage,
                "the experiment " + experiment.name +
                    " has kernels and row numbers of its own; leave them out, or run the experiment tables",
                {{options.kernels.empty() ? "rows" : "kernel"}});
  }
  std::optional<TrainedNetwork> network, before;
  if (!options.weights.empty()) options.network = &network.emplace(TrainedNetwork::Load(options.weights));
  if (!options.weights_before.empty()) options.before = &before.emplace(TrainedNetwork::Load(options.weights_before));
  const std::vector<std::string> methods = ResolveMethods(experiment, options);
  std::optional<TableFolder> tables;
  if (experiment.any_tables) {
    const bool only_airline = options.quick && options.data.empty();
    options.tables = &tables.emplace(only_airline ? AirlineFolder() : ReadTableFolder(options.data));
  }
  const std::vector<Task> tasks = experiment.tasks(options);  // complains about missing data before anything is written
  const ResultFolder folder(options.out, SettingsOf(experiment, options), options.fresh);
  RunnerOptions runner;
  runner.threads = options.threads;
  runner.stop = options.stop;
  runner.progress = options.progress;
  Stopwatch since_save;
  runner.save = [&](const std::vector<Record>& records) {
    if (since_save.Milliseconds() < kSaveEvery) return;
    folder.SaveRecords(records);
    since_save = Stopwatch();
  };
  ExperimentResult result;
  result.records = RunTasks(tasks, methods, folder.previous(), runner);
  folder.SaveRecords(result.records);
  if (options.stop.stop_requested()) {
    throw Error(ErrorCode::kInterrupted, "stopped with " + std::to_string(result.records.size()) + " records in '" +
                                             options.out + "'; run the same command to continue");
  }
  result.report = experiment.report(result.records, options);
  result.files = {"records.csv", "records.json", "tables.md"};
  folder.WriteFile("records.json", RecordsToJson(result.records));
  folder.WriteFile("tables.md", result.report.markdown);
  if (!result.report.json.empty()) {
    folder.WriteFile("summary.json", result.report.json);
    result.files.emplace_back("summary.json");
  }
  for (const auto& [name, svg] : result.report.figures) {
    folder.WriteFile(name, svg);
    result.files.push_back(name);
  }
  return result;
}

}  // namespace instantgp

// The experiments, one name each: the paper's, and the comparison on tables of your own.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "instantgp/experiments/run/record.h"
#include "instantgp/experiments/run/runner.h"
#include "instantgp/inference/trained_network.h"

namespace instantgp {

struct TableFolder;

struct ExperimentOptions {
  std::string data;                  // folder of the real datasets (benchmark_data.h), or of any tables
  std::string out;                   // folder of the results; grows over runs of the same settings
  int splits = 0;                    // 0: the experiment's own number
  std::vector<std::string> methods;  // empty: the experiment's own, as far as this build has them
  std::vector<std::string> kernels;  // where any tables are compared; empty: SE
  int rows = 0;                      // likewise, at most so many training rows; 0: the experiment's own number
  std::string weights;               // of the network; empty: those inside the library
  std::string weights_before;        // finetune: the weights before phase 2
  bool quick = false;                // about a minute; without `data` only what needs no file
  bool fresh = false;                // forget what `out` holds
  std::uint64_t seed = 0;
  int threads = 0;  // 0: as the machine has
  std::stop_token stop;
  std::function<void(int done, int of, double seconds_left)> progress;

  // Set by RunExperiment from the files.
  const TrainedNetwork* network = nullptr;  // null: the embedded one
  const TrainedNetwork* before = nullptr;   // null: not given
  const TableFolder* tables = nullptr;      // null: the experiment is not on any tables

  void Validate() const;  // throws Error(kUsage) naming the option
};

struct Report {
  std::string markdown;
  std::string json;                                          // an object, saved as summary.json; empty: none
  std::vector<std::pair<std::string, std::string>> figures;  // file name, SVG
};

struct Experiment {
  std::string name;
  std::string what;  // one line
  std::vector<std::string> methods;
  std::vector<std::string> special_methods;  // that are not the facade's
  std::function<std::vector<Task>(const ExperimentOptions&)> tasks;
  std::function<Report(const std::vector<Record>&, const ExperimentOptions&)> report;
  bool any_tables = false;  // runs on whatever tables the folder holds, with the kernels and rows of the options
};

const std::vector<Experiment>& Experiments();
// Throws Error(kUsage) listing the names.
const Experiment& FindExperiment(const std::string& name);

struct ExperimentResult {
  std::vector<Record> records;
  Report report;
  std::vector<std::string> files;  // written to options.out, in order
};

// Runs what is not yet done and writes records.csv, records.json, tables.md, summary.json where the report has one,
// run.json and the figures. Throws
// Error(kInterrupted) when a stop was requested; the records so far are saved and the same call goes on from them.
ExperimentResult RunExperiment(const Experiment& experiment, const ExperimentOptions& options);

}  // namespace instantgp

#include "apps/cli/options/data_options.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "apps/cli/terminal/terminal.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"
#include "instantgp/data/airline.h"
#include "instantgp/data/csv.h"
#include "instantgp/data/split.h"
#include "instantgp/model/fit.h"

namespace instantgp::cli {
namespace {

void CheckCombination(const DataOptions& options, const std::string& command) {
  if (options.example && !options.data.empty()) {
    throw Error(ErrorCode::kUsage, "--example brings its own data; leave out '" + OneLine(options.data) + "'");
  }
  if (!options.example && options.data.empty()) {
    throw Error(ErrorCode::kUsage,
                command + " needs a table: instantgp " + command + " DATA.csv ('-' for standard input), or --example");
  }
  if (!options.output.empty() && options.predict.empty()) {
    throw Error(ErrorCode::kUsage, "--output says where to write predictions; add --predict X.csv");
  }
  if (options.predict == "-" && options.data == "-") {
    throw Error(ErrorCode::kUsage, "standard input can be the data or the rows of --predict, not both");
  }
  if (options.holdout && !(*options.holdout > 0 && *options.holdout < 1)) {
    throw Error(ErrorCode::kUsage, "--holdout takes a fraction between 0 and 1, for example 0.2");
  }
}

Dataset ReadData(const DataOptions& options, std::vector<std::string>& warnings) {
  if (options.example) {
    const Table table = ParseTable(AirlineCsv(), "the airline example");
    return ToDataset(table, options.target);
  }
  const std::string origin = options.data == "-" ? "standard input" : options.data;
  const Table table = ReadTable(options.data, MissingFromName(options.missing));
  if (table.dropped_rows > 0) {
    warnings.push_back(Count(table.dropped_rows, "row") + " with missing values left out (--missing drop)");
  }
  try {
    return ToDataset(table, options.target);
  } catch (const Error& error) {
    throw Error(error.code(), origin + ": " + error.what());
  }
}

}  // namespace

void AddTableOptions(CLI::App& command, DataOptions& options) {
  command.add_option("DATA.csv", options.data, "Table, with or without a header; '-' is standard input")->type_name("");
  command.add_flag("--example", options.example, "Use the built-in example: monthly airline passengers 1949-1960");
  command.add_option("-t,--target", options.target, "Target column, by name or number [the last]")->type_name("COLUMN");
  command.add_option("--holdout", options.holdout, "Hold out this fraction of the rows and score it")
      ->type_name("FRACTION");
  command.add_option("--missing", options.missing, "Rows with missing values: error or drop [error]")
      ->type_name("POLICY")
      ->check(CLI::IsMember({"error", "drop"}));
}

void AddResultOptions(CLI::App& command, DataOptions& options) {
  command.add_option("--model", options.model, "Save the fitted model")->type_name("FILE");
  command.add_option("--predict", options.predict, "Predict at the rows of this table")->type_name("X.csv");
  command.add_option("-o,--output", options.output, "Write the predictions to this file [stdout]")->type_name("P.csv");
  command.add_option("--plot", options.plot, "Draw the fit (SVG)")->type_name("F.svg");
}

LoadedData LoadData(const DataOptions& options, const std::string& command, std::uint64_t seed,
                    const std::function<void(const Dataset&)>& check) {
  CheckCombination(options, command);
  LoadedData loaded;
  loaded.source = options.example ? "airline example" : options.data == "-" ? "standard input" : OneLine(options.data);
  loaded.train = ReadData(options, loaded.notes);
  check(loaded.train);
  if (options.holdout) {
    const Split split = HoldoutSplit(loaded.train.rows(), *options.holdout, seed);
    loaded.held_out = SelectRows(loaded.train, split.test);
    loaded.train = SelectRows(loaded.train, split.train);
  }
  if (!options.predict.empty()) {
    loaded.new_rows = ReadNewRows(options.predict, MissingFromName(options.missing), loaded.train.column_names,
                                  loaded.train.target_name);
    if (loaded.new_rows->dropped > 0) {
      loaded.notes.push_back(Count(loaded.new_rows->dropped, "row") + " of " + OneLine(options.predict) +
                             " with missing values left out");
    }
  }
  return loaded;
}

void Deliver(Results results, const DataOptions& options, const CommonOptions& common, const std::string& target) {
  const bool on_stdout = results.predictions && (options.output.empty() || options.output == "-");
  std::string csv;
  if (results.predictions) csv = PredictionsToCsv(*results.predictions);
  if (results.predictions && !on_stdout) results.files.Add(options.output, csv);
  results.files.Write(common.quiet);
  if (common.json) {
    if (on_stdout) AddPredictions(*results.predictions, results.document["predictions"]);
    if (results.prediction_scores) results.document["prediction_scores"] = ScoresToJson(*results.prediction_scores);
    return WriteStdout(JsonText(std::move(results.document)));
  }
  if (results.prediction_scores) {
    results.text += "\n  predictions of " + OneLine(options.predict) + ": " +
                    ScoresToText(*results.prediction_scores, OneLine(target)) + "\n";
  }
  if (on_stdout) {  // stdout is data, so the report steps aside
    if (!common.quiet) Message(results.text);
    WriteStdout(csv);
  } else {
    WriteStdout(results.text);
  }
}

void AnnounceCost(int n, double bytes, double seconds, const std::string& what, bool quiet) {
  constexpr int kWorthMentioning = 2000;
  if (n < kWorthMentioning || quiet || bytes > kDefaultMemoryLimit) return;  // the fit refuses the last with its reason
  char text[200];
  std::snprintf(text, sizeof text, "%s of %d rows takes about %.1f GiB of memory and at least %.0f s\n", what.c_str(),
                n, bytes / std::pow(2.0, 30), std::max(1.0, seconds));
  Message(text);
}

}  // namespace instantgp::cli

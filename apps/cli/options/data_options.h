// What the commands that fit share: which table, which rows of it, and where results go.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/options/common.h"
#include "apps/cli/options/table_input.h"
#include "apps/cli/report/predictions.h"
#include "instantgp/data/dataset.h"
#include "instantgp/data/labelled_table.h"

namespace instantgp::cli {

struct DataOptions {
  std::string data, target;
  RowOptions policies;
  std::vector<std::string> categorical, date_formats;
  bool example = false;
  std::optional<double> holdout;
  std::string model, predict, output, plot;
  bool streams = false;  // the command can predict a long table in pieces (LoadedData::stream)
};

// DATA.csv --example --target --holdout --categorical --date-format --missing --unseen.
void AddTableOptions(CLI::App& command, DataOptions& options);
// --model --predict --output --plot.
void AddResultOptions(CLI::App& command, DataOptions& options);

struct LoadedData {
  std::string source;  // for people: the file, or what stands for it
  Dataset train;
  std::optional<Dataset> held_out;
  std::optional<NewRows> new_rows;  // of --predict; without it, those of the table whose target is empty
  std::vector<std::string> notes;   // warnings about rows left out
  // The rows of --predict are many and go to a file: the first of them have been looked at, and none is kept.
  bool stream = false;
};

// A table and the rows to predict at, wherever they come from: files, or the body of a request.
struct TableSource {
  std::string name;  // LoadedData::source
  LabelledTable table;
  std::function<NewRows(const Dataset& train)> new_rows;  // empty: none
  std::string new_rows_name;                              // what notes on them begin with
  bool new_rows_streamed = false;                         // they are read in pieces later, and none is kept
  UnseenPolicy unseen = UnseenPolicy::kError;             // for rows without a target
  std::string open_rows_hint;                             // what a note on rows without a target goes on with
};

// Learns from the rows that are not held out. `check` sees them before the rows held out or to predict at are looked
// at, so that a bad kernel is reported first.
LoadedData Divide(const TableSource& source, std::optional<double> holdout, std::uint64_t seed,
                  const std::function<void(const Dataset&)>& check);

// Throws Error(kUsage) for options that do not go together. Otherwise Divide.
LoadedData LoadData(const DataOptions& options, const std::string& command, std::uint64_t seed,
                    const std::function<void(const Dataset&)>& check);

// Results as they leave a command.
struct Results {
  Json document;  // with "schema"
  std::string text;
  OutputFiles files;
  std::optional<PredictionOutput> predictions;
  std::optional<Scores> prediction_scores;
};
// Puts the predictions and their scores, where there are some, into the document.
void AddPredicted(Results& results);
// Writes the files, then the document or the text to stdout; predictions go to --output or take stdout, in which case
// the text steps aside to stderr.
void Deliver(Results results, const DataOptions& options, const CommonOptions& common, const std::string& target);

// Large tables take a while: say so before it starts.
void AnnounceCost(int n, double bytes, double seconds, const std::string& what, bool quiet);

}  // namespace instantgp::cli

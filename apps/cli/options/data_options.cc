#include "apps/cli/options/data_options.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "apps/cli/terminal/terminal.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"
#include "instantgp/data/airline.h"
#include "instantgp/data/csv_blocks.h"
#include "instantgp/data/labelled_table.h"
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
  if (options.predict == "-" && options.data == "-") {
    throw Error(ErrorCode::kUsage, "standard input can be the data or the rows of --predict, not both");
  }
  if (options.holdout && !(*options.holdout > 0 && *options.holdout < 1)) {
    throw Error(ErrorCode::kUsage, "--holdout takes a fraction between 0 and 1, for example 0.2");
  }
}

LabelledTable ReadData(const DataOptions& options) {
  const CsvOptions csv{options.target, MissingFromName(options.policies.missing), options.categorical,
                       options.date_formats};
  if (options.example) return LabelledTable::Of(ParseRawTable(AirlineCsv(), "the airline example"), csv);
  return ReadLabelledTable(options.data, csv);
}

// Rows that a split holds out may have levels of their own: nobody chose them, so they are other levels, with a note.
Dataset HeldOut(const LabelledTable& table, const Dataset& train, const std::vector<int>& rows,
                std::vector<std::string>& notes) {
  RecipeRows held_out = table.As(train, rows, UnseenPolicy::kOther);
  for (const std::string& note : held_out.notes) notes.push_back("held out: " + note);
  Dataset data = Dataset::Of(std::move(held_out.X), table.y(rows), train.column_names, train.target_name);
  data.recipe = train.recipe;
  return data;
}

NewRows OpenRows(const LabelledTable& table, const Dataset& train, UnseenPolicy unseen) {
  RecipeRows open = table.As(train, table.open, unseen);
  NewRows rows;
  rows.X = std::move(open.X);
  rows.notes = std::move(open.notes);
  return rows;
}

TableShape ShapeOf(const Dataset& train) { return {train.column_names, train.target_name, train.recipe.get()}; }

NewRowsOptions PoliciesOf(const DataOptions& options) {
  return {MissingFromName(options.policies.missing), UnseenFromName(options.policies.unseen)};
}

// Whether the rows of --predict are in a file longer than a piece and their predictions go to another. Where rows may
// be dropped all of them have to be known.
bool CanStream(const DataOptions& options) {
  std::error_code error;
  return !options.predict.empty() && !options.output.empty() && options.output != "-" &&
         options.policies.missing == "error" && std::filesystem::is_regular_file(options.predict, error) &&
         std::filesystem::file_size(options.predict, error) > kStreamBytes && !error;
}

// What is wrong with the table of rows to predict at, or its first rows, is said before the fit.
void CheckOpening(const DataOptions& options, const Dataset& train) {
  CsvBlocks blocks(options.predict, kStreamBytes);
  blocks.Next();
  ParseNewRows(blocks.text(), options.predict, ShapeOf(train), PoliciesOf(options));
}

std::vector<int> Chosen(const std::vector<int>& rows, const std::vector<int>& which) {
  std::vector<int> chosen;
  chosen.reserve(which.size());
  for (const int k : which) chosen.push_back(rows[static_cast<std::size_t>(k)]);
  return chosen;
}

}  // namespace

void AddTableOptions(CLI::App& command, DataOptions& options) {
  command.add_option("DATA.csv", options.data, "Table, with or without a header; '-' is standard input")->type_name("");
  command.add_flag("--example", options.example, "Use the built-in example: monthly airline passengers 1949-1960");
  command.add_option("-t,--target", options.target, "Target column, by name or number [the last]")->type_name("COLUMN");
  command.add_option("--holdout", options.holdout, "Hold out this fraction of the rows and score it")
      ->type_name("FRACTION");
  command
      .add_option("--categorical", options.categorical,
                  "Columns of numbers that are codes of categories; texts are categories anyway")
      ->type_name("COL,...")
      ->delimiter(',');
  command
      .add_option("--date-format", options.date_formats,
                  "How dates are written, for example %d.%m.%y; for one column COL=%d.%m.%y")
      ->type_name("FORMAT");
  AddRowOptions(command, options.policies);
}

void AddResultOptions(CLI::App& command, DataOptions& options) {
  command.add_option("--model", options.model, "Save the fitted model")->type_name("FILE");
  command.add_option("--predict", options.predict, "Predict at the rows of this table")->type_name("X.csv");
  command.add_option("-o,--output", options.output, "Write the predictions to this file [stdout]")->type_name("P.csv");
  command.add_option("--plot", options.plot, "Draw the fit (SVG)")->type_name("F.svg");
}

LoadedData Divide(const TableSource& source, std::optional<double> holdout, std::uint64_t seed,
                  const std::function<void(const Dataset&)>& check) {
  const LabelledTable& table = source.table;
  LoadedData loaded;
  loaded.source = source.name;
  if (table.dropped > 0) {
    loaded.notes.push_back(Count(table.dropped, "row") + " with missing values left out (--missing drop)");
  }
  // What the rows are to be learnt from is settled before anything is learnt from them: levels, medians, first dates.
  Split split;
  if (holdout) split = HoldoutSplit(static_cast<int>(table.known.size()), *holdout, seed);
  loaded.train = table.Learn(holdout ? Chosen(table.known, split.train) : table.known);
  if (loaded.train.recipe) {
    for (const ColumnRecipe& column : loaded.train.recipe->columns) {
      for (std::string& remark : Remarks(column)) loaded.notes.push_back(std::move(remark));
    }
  }
  check(loaded.train);
  if (holdout) loaded.held_out = HeldOut(table, loaded.train, Chosen(table.known, split.test), loaded.notes);
  if (source.new_rows) {
    loaded.new_rows = source.new_rows(loaded.train);
    for (const std::string& note : NotesOn(*loaded.new_rows)) {
      loaded.notes.push_back(source.new_rows_name + ": " + note);
    }
  }
  if (!table.open.empty()) {
    loaded.notes.push_back(Count(static_cast<long>(table.open.size()), "row") + " without a target not learnt from" +
                           source.open_rows_hint);
  }
  if (!loaded.new_rows && !source.new_rows_streamed && !table.open.empty()) {
    loaded.new_rows = OpenRows(table, loaded.train, source.unseen);
    loaded.notes.insert(loaded.notes.end(), loaded.new_rows->notes.begin(), loaded.new_rows->notes.end());
  }
  return loaded;
}

LoadedData LoadData(const DataOptions& options, const std::string& command, std::uint64_t seed,
                    const std::function<void(const Dataset&)>& check) {
  CheckCombination(options, command);
  TableSource source;
  source.name = options.example ? "airline example" : options.data == "-" ? "standard input" : OneLine(options.data);
  source.table = ReadData(options);
  source.unseen = UnseenFromName(options.policies.unseen);
  source.new_rows_streamed = options.streams && CanStream(options);
  if (!options.predict.empty() && !source.new_rows_streamed) {
    source.new_rows_name = OneLine(options.predict);
    source.new_rows = [&options](const Dataset& train) {
      return ReadNewRows(options.predict, ShapeOf(train), PoliciesOf(options));
    };
  }
  if (options.predict.empty() && options.output.empty()) {
    source.open_rows_hint = "; --output P.csv writes predictions for them";
  }
  LoadedData loaded = Divide(source, options.holdout, seed, check);
  loaded.stream = source.new_rows_streamed;
  if (loaded.stream) CheckOpening(options, loaded.train);
  if (!options.output.empty() && !loaded.new_rows && !loaded.stream) {
    throw Error(ErrorCode::kUsage,
                "--output says where to write predictions; add --predict X.csv, or rows with an empty target");
  }
  return loaded;
}

void AddPredicted(Results& results) {
  if (results.predictions) AddPredictions(*results.predictions, results.document["predictions"]);
  if (results.prediction_scores) results.document["prediction_scores"] = ScoresToJson(*results.prediction_scores);
}

void Deliver(Results results, const DataOptions& options, const CommonOptions& common, const std::string& target) {
  // Without --predict there are predictions for rows with an empty target: they are written where --output asks for
  // them, and part of a document.
  if (options.predict.empty() && options.output.empty() && !common.json) results.predictions.reset();
  const bool on_stdout = results.predictions && (options.output.empty() || options.output == "-");
  std::string csv;
  if (results.predictions) csv = PredictionsToCsv(*results.predictions);
  if (results.predictions && !on_stdout) results.files.Add(options.output, csv);
  results.files.Write(common.quiet);
  if (common.json) {
    if (!on_stdout) results.predictions.reset();  // they are in their file
    AddPredicted(results);
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
  const double mebibytes = bytes / std::pow(2.0, 20);
  const bool many = mebibytes >= 1000;
  std::snprintf(text, sizeof text, "%s of %d rows takes about %.*f %s of memory and at least %.0f s\n", what.c_str(), n,
                many ? 1 : 0, many ? mebibytes / 1024 : mebibytes, many ? "GiB" : "MiB", std::max(1.0, seconds));
  Message(text);
}

}  // namespace instantgp::cli

// `instantgp fit`: from a table to a model, its report, its picture and its predictions.
#include "instantgp/predict/fit.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "apps/cli/common.h"
#include "apps/cli/comparison.h"
#include "apps/cli/interrupt.h"
#include "apps/cli/predictions.h"
#include "apps/cli/predictive_plot.h"
#include "apps/cli/report.h"
#include "apps/cli/table_input.h"
#include "apps/cli/terminal.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"
#include "instantgp/data/airline.h"
#include "instantgp/data/csv.h"
#include "instantgp/data/split.h"
#include "instantgp/kernel/parse.h"

namespace instantgp::cli {
namespace {

constexpr char kHelp[] = "Infer the hyperparameters of a Gaussian process from a table.";

constexpr char kExamples[] =
    R"(Kernels are sums and products of SE, LIN, PER and MAT52, the same on every column or column by column:
  SE + LIN*PER        SE(x1) * (LIN(x2) + PER(x2))        PER(month)*SE(month) + LIN(month)

Examples:
  instantgp fit --example --kernel "LIN + SE*PER" --holdout 0.2 --plot airline.svg
  instantgp fit data.csv --target price --method refine --steps 20 --model price.gp
  instantgp fit data.csv --holdout 0.2 --compare refine,ml
  instantgp fit data.csv --predict new.csv --output predictions.csv
  zcat data.csv.gz | instantgp fit - --json > fit.json)";

struct Options {
  CommonOptions common;
  std::string data, kernel = "SE", target, method = "oneshot", model, weights, objective = "ml", compare, predict,
                    output, plot, missing = "error";
  bool example = false;
  int steps = 0;
  int restarts = 10;
  std::optional<double> holdout;
};

Method ResolveMethod(const std::string& name) {
  if (const std::optional<Method> method = MethodFromName(name)) return *method;
  if (name == "svgp") {
    throw Error(ErrorCode::kUsage, "--method svgp is not in this version yet; use one of " + ListMethods());
  }
  throw Error(ErrorCode::kUsage, "there is no method '" + OneLine(name) + "'; use one of " + ListMethods());
}

void CheckCombination(const Options& options) {
  if (options.example && !options.data.empty()) {
    throw Error(ErrorCode::kUsage, "--example brings its own data; leave out '" + OneLine(options.data) + "'");
  }
  if (!options.example && options.data.empty()) {
    throw Error(ErrorCode::kUsage, "fit needs a table: instantgp fit DATA.csv ('-' for standard input), or --example");
  }
  if (!options.output.empty() && options.predict.empty()) {
    throw Error(ErrorCode::kUsage, "--output says where predictions go; add --predict X.csv");
  }
  if (options.predict == "-" && options.data == "-") {
    throw Error(ErrorCode::kUsage, "standard input can be the data or the rows of --predict, not both");
  }
  const bool network_method = options.method == "oneshot" || options.method == "refine";
  if (!options.weights.empty() && !network_method) {
    throw Error(ErrorCode::kUsage, "--weights is for the methods oneshot and refine, not " + options.method);
  }
  if (options.objective != "ml" && options.method != "refine") {
    throw Error(ErrorCode::kUsage,
                "--objective is for --method refine; for the priors from the start use --method map");
  }
  if (options.holdout && !(*options.holdout > 0 && *options.holdout < 1)) {
    throw Error(ErrorCode::kUsage, "--holdout takes a fraction between 0 and 1, for example 0.2");
  }
}

Dataset ReadData(const Options& options, std::vector<std::string>& warnings) {
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

// Large tables take a while: say so before it starts.
void AnnounceCost(int n, const FitOptions& options, bool quiet) {
  constexpr int kWorthMentioning = 2000;
  const FitCost cost = EstimateCost(n, options);
  if (n < kWorthMentioning || quiet || cost.bytes > kExactMemoryLimit) return;  // Fit refuses the last with its reason
  char text[160];
  std::snprintf(text, sizeof text, "an exact fit of %d rows takes about %.1f GiB of memory and %.0f s or more\n", n,
                cost.bytes / std::pow(2.0, 30), std::max(1.0, cost.seconds));
  Message(text);
}

void Run(const Options& options) {
  const Method method = ResolveMethod(options.method);
  CheckCombination(options);
  std::vector<Method> compare;
  if (!options.compare.empty()) compare = MethodsFromList(options.compare);
  FitReport report;
  report.source = options.example ? "airline example" : options.data == "-" ? "standard input" : OneLine(options.data);
  report.verbose = options.common.verbose;
  std::vector<std::string> notes;
  Dataset train = ReadData(options, notes);
  ParseKernel(options.kernel, train.column_names);  // complain before anything else is read
  std::optional<Dataset> held_out;
  if (options.holdout) {
    const Split split = HoldoutSplit(train.rows(), *options.holdout, options.common.seed);
    held_out = SelectRows(train, split.test);
    train = SelectRows(train, split.train);
  }
  std::optional<NewRows> new_rows;
  if (!options.predict.empty()) {
    new_rows = ReadNewRows(options.predict, MissingFromName(options.missing), train.column_names, train.target_name);
    if (new_rows->dropped > 0)
      notes.push_back(Count(new_rows->dropped, "row") + " of " + OneLine(options.predict) +
                      " with missing values left out");
  }

  FitOptions fit_options;
  fit_options.method = method;
  fit_options.steps = options.steps;
  fit_options.map = options.objective == "map";
  std::optional<TrainedNetwork> network;
  if (!options.weights.empty()) fit_options.network = &network.emplace(TrainedNetwork::Load(options.weights));
  fit_options.restarts = options.restarts;
  fit_options.seed = options.common.seed;
  fit_options.threads = options.common.threads;
  fit_options.stop = StopToken();
  std::optional<Progress> progress(std::in_place, "starts", options.common.quiet);
  fit_options.progress = [&](int done, int of) { progress->Update(done, of); };
  AnnounceCost(train.rows(), fit_options, options.common.quiet);
  const Model model = Fit(train, options.kernel, fit_options);
  report.model = &model;
  report.warnings = model.warnings();
  report.warnings.insert(report.warnings.end(), notes.begin(), notes.end());
  if (held_out) {
    report.holdout = model.Score(held_out->X, held_out->y);
    report.holdout_rows = held_out->rows();
  }
  std::vector<ComparedFit> comparison;
  if (!compare.empty()) {
    const Dataset* scored = held_out ? &*held_out : nullptr;
    comparison.push_back(Compared(model, scored));
    for (const Method other : compare) {
      comparison.push_back(FitForComparison(train, scored, options.kernel, fit_options, other));
    }
  }
  progress.reset();
  OutputFiles files;
  std::string predictions_csv;
  std::optional<PredictionOutput> predictions;
  std::optional<Scores> new_scores;
  if (new_rows) {
    predictions = ComputePredictions(model, new_rows->X, {});
    predictions_csv = PredictionsToCsv(*predictions);
    new_scores = ScoreRows(model, *new_rows);
    if (!options.output.empty() && options.output != "-") files.Add(options.output, predictions_csv);
  }
  if (!options.model.empty()) files.Add(options.model, SerializeModel(model));
  if (!options.plot.empty()) files.Add(options.plot, PredictivePlot(model, train, held_out ? &*held_out : nullptr));
  files.Write(options.common.quiet);

  const bool predictions_on_stdout = new_rows && (options.output.empty() || options.output == "-");
  if (options.common.json) {
    Json document;
    document["schema"] = "instantgp/fit/1";
    document.update(ReportJson(report));
    document["seed"] = options.common.seed;
    if (!comparison.empty()) document["comparison"] = ComparisonJson(comparison);
    if (predictions_on_stdout) AddPredictions(*predictions, document["predictions"]);
    if (new_scores) document["prediction_scores"] = ScoresToJson(*new_scores);
    WriteStdout(JsonText(std::move(document)));
    return;
  }
  std::string text = ReportText(report);
  if (!comparison.empty()) {
    text += "\n" + Heading("Compared on the same rows (standardised y)") + "\n" + ComparisonText(comparison);
  }
  if (new_scores) {
    text += "\n  predictions of " + OneLine(options.predict) + ": " +
            ScoresToText(*new_scores, OneLine(model.target_name())) + "\n";
  }
  if (predictions_on_stdout) {  // stdout is data, so the report steps aside
    if (!options.common.quiet) Message(text);
    WriteStdout(predictions_csv);
  } else {
    WriteStdout(text);
  }
}

}  // namespace

void RegisterFit(CLI::App& app, Selected& selected) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("fit", kHelp);
  command->add_option("DATA.csv", options->data, "Table with a header or without; '-' is standard input")
      ->type_name("");
  command->add_flag("--example", options->example, "Use the built-in example: monthly airline passengers 1949-1960");
  command->add_option("-k,--kernel", options->kernel, "Kernel expression [SE]")->type_name("EXPR");
  command->add_option("-t,--target", options->target, "Target column, by name or number [the last]")
      ->type_name("COLUMN");
  command->add_option("-m,--method", options->method, "oneshot, refine, ml, adam, multistart or map [oneshot]")
      ->type_name("NAME");
  command->add_option("--steps", options->steps, "Most optimiser steps [0: the method's own]")
      ->type_name("K")
      ->check(CLI::Range(0, 1000000));
  command->add_option("--objective", options->objective, "What refine optimises: ml, or map with the priors [ml]")
      ->type_name("NAME")
      ->check(CLI::IsMember({"ml", "map"}));
  command->add_option("--weights", options->weights, "Network weights for oneshot and refine [inside the program]")
      ->type_name("FILE");
  command->add_option("--restarts", options->restarts, "Starts of multistart [10]")
      ->type_name("R")
      ->check(CLI::Range(1, 100000));
  command
      ->add_option("--compare", options->compare, "Fit the same rows with these methods too, and show all side by side")
      ->type_name("LIST");
  command->add_option("--holdout", options->holdout, "Keep this fraction of rows out of the fit and score it")
      ->type_name("FRACTION");
  command->add_option("--missing", options->missing, "Rows with missing values: error or drop [error]")
      ->type_name("POLICY")
      ->check(CLI::IsMember({"error", "drop"}));
  command->add_option("--model", options->model, "Save the fitted model")->type_name("FILE");
  command->add_option("--predict", options->predict, "Predict at the rows of this table")->type_name("X.csv");
  command->add_option("-o,--output", options->output, "Write the predictions here [stdout]")->type_name("P.csv");
  command->add_option("--plot", options->plot, "Draw the fit")->type_name("F.svg");
  AddCommonOptions(*command, options->common);
  command->footer(kExamples);
  command->callback([options, &selected] { selected.run = [options] { Run(*options); }; });
}

}  // namespace instantgp::cli

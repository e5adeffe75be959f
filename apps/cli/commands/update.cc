// `instantgp update`: further rows for a saved model.
#include "instantgp/model/update.h"

#include <memory>
#include <utility>

#include "apps/cli/commands/fitted_file.h"
#include "apps/cli/options/common.h"
#include "apps/cli/options/session.h"
#include "apps/cli/options/table_input.h"
#include "apps/cli/report/documents.h"
#include "apps/cli/report/fit_report.h"
#include "apps/cli/terminal/terminal.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"

namespace instantgp::cli {
namespace {

constexpr char kUpdateHelp[] = "Add rows to a saved model.";

constexpr char kUpdateExamples[] =
    R"(The factorisation is extended by the new rows. Scaling and parameters stay as they are, unless the new rows contradict
the model; then the parameters are inferred again from all rows. --reinfer always does so, --keep never. If NEW.csv has
a header, columns are matched by name. The model file is replaced unless --model names another.

Examples:
  instantgp update price.gp today.csv
  instantgp update price.gp today.csv --reinfer --model price-new.gp
  tail -n 5 log.csv | instantgp update price.gp - --json)";

struct UpdateArguments {
  CommonOptions common;
  std::string model, rows, output, method, weights;
  RowOptions policies;
  bool reinfer = false, keep = false;
  int steps = 0;
};

Model LoadSingle(const std::string& path) {
  Fitted fitted = LoadFitted(path);
  if (std::holds_alternative<Ensemble>(fitted)) {
    throw Error(ErrorCode::kUsage, OneLine(path) + " holds an ensemble; update takes single models. Fit the ensemble " +
                                       "again with all rows.");
  }
  return std::get<Model>(std::move(fitted));
}

Vector Targets(const NewRows& rows, const UpdateArguments& options, const Model& model) {
  if (rows.y && rows.y->allFinite()) return *rows.y;
  throw Error(ErrorCode::kBadInput, OneLine(options.rows) + ": every new row needs a value of the target '" +
                                        OneLine(model.target_name()) + "'. Fill in the values or remove the rows.");
}

std::string DriftText(const UpdateResult& result) {
  const Drift& drift = result.drift;
  return "  " + Count(drift.rows, "row") + " since the last inference: NLL " + Short(drift.score) + " per point, " +
         Short(drift.expected) + " expected (standardised y); " +
         (drift.drifting ? "they contradict the model" : "as the model predicts") + "\n  parameters " +
         (result.reinferred ? "inferred again from all rows" : "kept") + "\n";
}

void RunUpdate(const UpdateArguments& options) {
  if (options.model == "-") throw Error(ErrorCode::kUsage, "the model must be a file: it is replaced by the update");
  const Model before = LoadSingle(options.model);
  const NewRows rows = RowsFor(before, options.rows, options.policies);
  UpdateOptions update;
  update.reinfer = options.reinfer ? Reinfer::kAlways : options.keep ? Reinfer::kNever : Reinfer::kWhenDrifting;
  if (!options.method.empty()) update.method = ResolveMethod(options.method);
  update.steps = options.steps;
  CommandSession session(options.common, options.weights);
  const UpdateResult result = Update(*session, before, rows.X, Targets(rows, options, before), update);

  FitReport report;
  report.source = OneLine(options.model) + " with " + Count(rows.X.rows(), "new row");
  report.model = &result.model;
  report.verbose = options.common.verbose;
  report.warnings = result.model.warnings();
  for (std::string& note : NotesOn(rows)) report.warnings.push_back(std::move(note));
  OutputFiles files;
  files.Add(options.output.empty() ? options.model : options.output,
            [&](const std::string& path) { SaveModel(result.model, path); });
  std::string text;
  if (options.common.json) {
    text = JsonText(UpdateDocument(result, report, rows.X.rows()));
  } else {
    text = Heading("Update") + "\n" + DriftText(result) + "\n" + ReportText(report);
  }
  files.Write(options.common.quiet);
  WriteStdout(text);
}

}  // namespace

void RegisterUpdate(CLI::App& app, Selected& selected) {
  auto options = std::make_shared<UpdateArguments>();
  CLI::App* command = app.add_subcommand("update", kUpdateHelp);
  command->add_option("MODEL", options->model, "Saved by --model of fit or search")->type_name("")->required();
  command->add_option("NEW.csv", options->rows, "New rows with their target; '-' is standard input")
      ->type_name("")
      ->required();
  CLI::Option* reinfer =
      command->add_flag("--reinfer", options->reinfer, "Always infer the parameters again from all rows");
  command->add_flag("--keep", options->keep, "Keep the parameters, whatever the new rows say")->excludes(reinfer);
  command->add_option("-m,--method", options->method, "Method that infers again [the one that fitted the model]")
      ->type_name("NAME");
  command->add_option("--steps", options->steps, "Maximum optimiser steps [0: the method's default]")
      ->type_name("K")
      ->check(CLI::Range(0, 1000000));
  command->add_option("--weights", options->weights, "Network weights [the embedded ones]")->type_name("FILE");
  AddRowOptions(*command, options->policies);
  command->add_option("--model", options->output, "Write the model to this file instead of replacing it")
      ->type_name("FILE");
  AddCommonOptions(*command, options->common);
  command->footer(kUpdateExamples);
  command->callback([options, &selected] { selected.run = [options] { RunUpdate(*options); }; });
}

}  // namespace instantgp::cli

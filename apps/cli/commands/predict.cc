// `instantgp predict`: a saved model at new rows.
#include <memory>

#include "apps/cli/commands/fitted_file.h"
#include "apps/cli/commands/stream_predictions.h"
#include "apps/cli/options/common.h"
#include "apps/cli/options/table_input.h"
#include "apps/cli/report/documents.h"
#include "apps/cli/report/predictions.h"
#include "apps/cli/terminal/terminal.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"

namespace instantgp::cli {
namespace {

constexpr char kPredictHelp[] = "Predict with a saved model at the rows of a table.";

constexpr char kPredictExamples[] =
    R"(The result is a table with the columns mean, std, lower95 and upper95, one row for each row of X.csv. If X.csv has a
header, columns are matched by name and others are ignored; otherwise they are matched by position. If the target is
among the columns, scores are printed too. Dates and categories are read as in the rows the model was fitted to.
Of a model whose target was transformed (fit --transform) mean and std are those of the target itself, lower95 and
upper95 its quantiles, and one more column holds its median, the better single number where values are skewed.

Examples:
  instantgp predict price.gp new.csv --output predictions.csv
  instantgp predict price.gp new.csv --latent --samples 5
  cat new.csv | instantgp predict price.gp - --json)";

struct PredictArguments {
  CommonOptions common;
  std::string model, rows, output;
  RowOptions policies;
  bool latent = false, cov = false;
  int samples = 0;
};

template <typename Fitted>
void Predict(const Fitted& fitted, const PredictArguments& options) {
  if (!options.common.json && options.samples == 0 && !options.cov && options.policies.missing == "error") {
    const StreamRequest request{options.rows,   options.output,         UnseenFromName(options.policies.unseen),
                                options.latent, options.common.threads, options.common.quiet};
    const StreamResult result = StreamPredictions(fitted, request);
    if (!options.common.quiet) {
      for (const std::string& note : result.notes) Message("warning: " + note);
      if (result.scores) Message(ScoresToText(*result.scores, OneLine(fitted.target_name())));
      if (!options.output.empty() && options.output != "-") Message("wrote " + options.output);
    }
    return;
  }
  const NewRows rows = RowsFor(fitted, options.rows, options.policies);
  PredictionRequest request;
  request.noise = options.latent ? Noise::kLatent : Noise::kObserved;
  request.samples = options.samples;
  request.cov = options.cov;
  request.seed = options.common.seed;
  request.threads = options.common.threads;
  const PredictionOutput output = ComputePredictions(fitted, rows.X, request);
  const std::optional<Scores> scores = ScoreRows(fitted, rows);
  const std::vector<std::string> warnings = NotesOn(rows);

  std::string text;
  if (options.common.json) {
    text = JsonText(PredictDocument(fitted, options.model, options.latent, output, scores, warnings));
  } else {
    text = PredictionsToCsv(output);
  }
  if (!options.common.quiet) {
    for (const std::string& warning : warnings) Message("warning: " + warning);
    if (scores) Message(ScoresToText(*scores, OneLine(fitted.target_name())));
  }
  if (options.output.empty() || options.output == "-") {
    WriteStdout(text);
  } else {
    OutputFiles files;
    files.Add(options.output, std::move(text));
    files.Write(options.common.quiet);
  }
}

void RunPredict(const PredictArguments& options) {
  if (options.model == "-" && options.rows == "-") {
    throw Error(ErrorCode::kUsage, "standard input can be the model or the rows, not both");
  }
  const Fitted fitted = LoadFitted(options.model);
  std::visit([&](const auto& value) { Predict(value, options); }, fitted);
}

}  // namespace

void RegisterPredict(CLI::App& app, Selected& selected) {
  auto options = std::make_shared<PredictArguments>();
  CLI::App* command = app.add_subcommand("predict", kPredictHelp);
  command->add_option("MODEL", options->model, "Saved by --model of fit, ensemble or search")
      ->type_name("")
      ->required();
  command->add_option("X.csv", options->rows, "Rows to predict at; '-' is standard input")->type_name("")->required();
  command->add_flag("--latent", options->latent, "Predict the function itself, without observation noise");
  command->add_option("--samples", options->samples, "Add N joint samples as columns sample1..N [0]")
      ->type_name("N")
      ->check(CLI::Range(0, 1000000));
  command->add_flag("--cov", options->cov, "Add the joint covariance as columns cov1..covM");
  AddRowOptions(*command, options->policies);
  command->add_option("-o,--output", options->output, "Write to this file instead of stdout")->type_name("FILE");
  AddCommonOptions(*command, options->common);
  command->footer(kPredictExamples);
  command->callback([options, &selected] { selected.run = [options] { RunPredict(*options); }; });
}

}  // namespace instantgp::cli

// `instantgp ensemble`: many structures at once, mixed.
#include <memory>
#include <sstream>
#include <utility>

#include "apps/cli/options/common.h"
#include "apps/cli/options/data_options.h"
#include "apps/cli/options/session.h"
#include "apps/cli/report/documents.h"
#include "apps/cli/report/ensemble_report.h"
#include "apps/cli/report/predictive_plot.h"
#include "apps/cli/terminal/progress.h"
#include "apps/cli/terminal/terminal.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"
#include "instantgp/base/file.h"
#include "instantgp/model/fit_ensemble.h"
#include "instantgp/model/spoken_columns.h"

namespace instantgp::cli {
namespace {

constexpr char kEnsembleHelp[] = "Fit many kernels to a table and predict with their weighted mixture.";

constexpr char kEnsembleExamples[] =
    R"(The network reads the table once, however many kernels there are. A file of kernels holds one expression per line;
empty lines and lines that begin with # are skipped. Members are weighted by their marginal likelihood (bma), by its
T-th root (tempered, T the temperature), by stacking leave-one-out predictions (loo), or equally (uniform).

Examples:
  instantgp ensemble --example --holdout 0.2 --plot ensemble.svg
  instantgp ensemble data.csv --weights-by loo --model price.ens
  instantgp ensemble data.csv --kernels mine.txt --method refine --predict new.csv --output predictions.csv
  instantgp predict price.ens new.csv)";

struct EnsembleArguments {
  CommonOptions common;
  DataOptions data;
  std::string kernels, method = "oneshot", weights_by = "bma", weights;
  double temperature = 0;
  std::optional<int> steps;
};

std::vector<std::string> ReadKernels(const std::string& path) {
  std::vector<std::string> kernels;
  std::istringstream lines(ReadFile(path));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    kernels.push_back(line.substr(first, line.find_last_not_of(" \t\r") + 1 - first));
  }
  if (kernels.empty()) {
    throw Error(ErrorCode::kBadInput, path + ": no kernel found; write one expression per line, e.g. SE + LIN*PER");
  }
  return kernels;
}

EnsembleOptions ToEnsembleOptions(const EnsembleArguments& options) {
  EnsembleOptions out;
  const Method method = ResolveMethod(options.method);
  const std::optional<Weighting> weighting = WeightingFromName(options.weights_by);
  if (!weighting) {
    throw Error(ErrorCode::kUsage,
                "--weights-by does not know '" + OneLine(options.weights_by) + "'; use one of " + ListWeightings());
  }
  if (options.temperature != 0 && *weighting != Weighting::kTempered) {
    throw Error(ErrorCode::kUsage, "--temperature goes with --weights-by tempered");
  }
  CheckWeights(options.weights, method);
  out.fit.method = method;
  out.fit.steps = options.steps;
  out.fit.seed = options.common.seed;
  out.weighting = *weighting;
  out.temperature = options.temperature;
  return out;
}

void RunEnsemble(const EnsembleArguments& options) {
  EnsembleOptions ensemble_options = ToEnsembleOptions(options);
  if (options.kernels == "-" && (options.data.data == "-" || options.data.predict == "-")) {
    throw Error(ErrorCode::kUsage, "standard input can be the kernels or a table, not both");
  }
  const std::vector<std::string> kernels = options.kernels.empty() ? BuiltInKernels() : ReadKernels(options.kernels);
  const LoadedData loaded = LoadData(options.data, "ensemble", options.common.seed, [&](const Dataset& data) {
    for (const std::string& kernel : kernels) ParseKernelOver(kernel, data.column_names, data.recipe.get());
  });
  const Dataset* held_out = loaded.held_out ? &*loaded.held_out : nullptr;
  CommandSession session(options.common, options.weights);
  const FitCost one = EstimateCost(loaded.train.rows(), ensemble_options.fit);
  const auto count = static_cast<double>(kernels.size());
  AnnounceCost(loaded.train.rows(), one.bytes * (count / 2 + 1), one.seconds * count, "an ensemble",
               options.common.quiet);
  std::optional<Progress> progress(std::in_place, "kernels", options.common.quiet);
  if (ensemble_options.fit.method != Method::kOneShot) {
    ensemble_options.fit.progress = [&](int done, int of) { progress->Update(done, of); };
  }
  const Ensemble ensemble = FitEnsemble(*session, loaded.train, kernels, ensemble_options);
  progress.reset();

  const EnsembleReport report = ReportOn(ensemble, loaded, options.common.verbose);
  Results results;
  if (loaded.new_rows) {
    results.predictions = ComputePredictions(ensemble, loaded.new_rows->X, {});
    results.prediction_scores = ScoreRows(ensemble, *loaded.new_rows);
  }
  if (!options.data.model.empty()) results.files.Add(options.data.model, SerializeEnsemble(ensemble));
  if (!options.data.plot.empty()) {
    results.files.Add(options.data.plot, PredictivePlot(ensemble, loaded.train, held_out));
  }
  if (options.common.json) {
    results.document = EnsembleDocument(report, options.common.seed);
  } else {
    results.text = ReportText(report);
  }
  Deliver(std::move(results), options.data, options.common, ensemble.target_name());
}

}  // namespace

void RegisterEnsemble(CLI::App& app, Selected& selected) {
  auto options = std::make_shared<EnsembleArguments>();
  CLI::App* command = app.add_subcommand("ensemble", kEnsembleHelp);
  AddTableOptions(*command, options->data);
  command->add_option("--kernels", options->kernels, "File with one kernel per line [24 built-in ones]")
      ->type_name("FILE");
  command->add_option("-m,--method", options->method, "Method that fits the members, as in fit [oneshot]")
      ->type_name("NAME");
  command->add_option("--weights-by", options->weights_by, "How to weight members: bma, tempered, loo or uniform [bma]")
      ->type_name("RULE");
  command
      ->add_option("--temperature", options->temperature,
                   "Temperature of tempered weights [0: square root of the rows]")
      ->type_name("T")
      ->check(CLI::Range(0.0, 1e9));
  command
      ->add_option("--steps", options->steps,
                   "Most optimiser steps per member [the method's default]; oneshot: 0, the network's answer alone")
      ->type_name("K")
      ->check(CLI::Range(0, 1000000));
  command->add_option("--weights", options->weights, "Network weights for oneshot and refine [the embedded ones]")
      ->type_name("FILE");
  AddResultOptions(*command, options->data);
  AddCommonOptions(*command, options->common);
  command->footer(kEnsembleExamples);
  command->callback([options, &selected] { selected.run = [options] { RunEnsemble(*options); }; });
}

}  // namespace instantgp::cli

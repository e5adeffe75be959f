// `instantgp fit`: from a table to a model, its report, its picture and its predictions.
#include <memory>
#include <utility>

#include "apps/cli/commands/stream_predictions.h"
#include "apps/cli/options/common.h"
#include "apps/cli/options/data_options.h"
#include "apps/cli/options/session.h"
#include "apps/cli/report/comparison.h"
#include "apps/cli/report/documents.h"
#include "apps/cli/report/model_output.h"
#include "apps/cli/terminal/progress.h"
#include "apps/cli/terminal/terminal.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"
#include "instantgp/model/spoken_columns.h"

namespace instantgp::cli {
namespace {

constexpr char kFitHelp[] = "Infer the hyperparameters of a Gaussian process from a table.";

constexpr char kFitExamples[] =
    R"(Kernels are sums and products of SE, LIN, PER and MAT52, the same on every column or column by column:
  SE + LIN*PER        SE(x1) * (LIN(x2) + PER(x2))        PER(month)*SE(month) + LIN(month)

Examples:
  instantgp fit --example --kernel "LIN + SE*PER" --holdout 0.2 --plot airline.svg
  instantgp fit data.csv --target price --method refine --steps 20 --model price.gp
  instantgp fit data.csv --holdout 0.2 --compare refine,ml
  instantgp fit sales.csv --transform auto --holdout 0.2
  instantgp fit data.csv --kernel "SE + LIN" --explain --explain-plot components.svg
  instantgp fit large.csv --method neighbours --every-lengthscale --model large.gp
  instantgp fit large.csv --method svgp --inducing 200
  instantgp fit data.csv --predict new.csv --output predictions.csv
  zcat data.csv.gz | instantgp fit - --json > fit.json)";

struct FitArguments {
  CommonOptions common;
  DataOptions data;
  std::string kernel = "SE", method = "oneshot", weights, objective = "ml", compare, transform = "none";
  std::optional<int> steps;
  int restarts = 10;
  int inducing = 0, neighbours = 0;
  bool exact = false, every_lengthscale = false;
  ExplainOptions explain;
};

void CheckCombination(const FitArguments& options, Method method) {
  CheckWeights(options.weights, method);
  if (options.inducing > 0 && options.method != "svgp" && options.compare.find("svgp") == std::string::npos) {
    throw Error(ErrorCode::kUsage, "--inducing goes with --method svgp, not " + options.method);
  }
}

void CheckNeighbours(const FitArguments& options, const FitOptions& resolved) {
  const bool asked = options.neighbours > 0 || options.every_lengthscale;
  const char* name = options.neighbours > 0 ? "--neighbours" : "--every-lengthscale";
  if (asked && resolved.method != Method::kNeighbours && options.compare.find("neighbours") == std::string::npos) {
    throw Error(ErrorCode::kUsage, std::string(name) + " goes with --method neighbours, not " + options.method);
  }
  if (options.exact && options.method != "oneshot" && options.method != "refine") {
    throw Error(ErrorCode::kUsage, "--exact goes with --method oneshot or refine, not " + options.method);
  }
}

// Before a fit that takes a while.
void Announce(const FitOptions& resolved, const Dataset& train, bool quiet) {
  const bool neighbours = resolved.method == Method::kNeighbours;
  const FitCost cost =
      neighbours ? EstimateNeighboursCost(train.rows(), train.columns()) : EstimateCost(train.rows(), resolved);
  AnnounceCost(train.rows(), cost.bytes, cost.seconds,
               neighbours                         ? "a fit by neighbours"
               : resolved.method == Method::kSvgp ? "a sparse fit"
                                                  : "an exact fit",
               quiet);
}

std::string ProgressName(Method method) {
  if (method == Method::kNeighbours) return "stages";
  return method == Method::kSvgp ? "steps" : "starts";
}

void RunFit(const FitArguments& options) {
  const Method method = ResolveMethod(options.method);
  CheckCombination(options, method);
  std::vector<Method> compare;
  if (!options.compare.empty()) compare = MethodsFromList(options.compare);
  DataOptions data = options.data;
  data.streams = true;
  const LoadedData loaded = LoadData(data, "fit", options.common.seed, [&](const Dataset& table) {
    ParseKernelOver(options.kernel, table.column_names, table.recipe.get());
  });
  const Dataset* held_out = loaded.held_out ? &*loaded.held_out : nullptr;

  FitOptions fit_options;
  fit_options.method = method;
  fit_options.steps = options.steps;
  fit_options.map = options.objective == "map";
  fit_options.restarts = options.restarts;
  fit_options.inducing = options.inducing;
  fit_options.neighbours = options.neighbours;
  fit_options.every_lengthscale = options.every_lengthscale;
  fit_options.exact = options.exact;
  fit_options.transform = TransformChoiceFromName(options.transform);
  fit_options.seed = options.common.seed;
  fit_options.Validate();
  const FitOptions resolved = ResolveForRows(fit_options, loaded.train.rows(), kDefaultMemoryLimit);
  CheckNeighbours(options, resolved);
  CommandSession session(options.common, options.weights);
  std::optional<Progress> progress(std::in_place, ProgressName(resolved.method), options.common.quiet);
  fit_options.progress = [&](int done, int of) { progress->Update(done, of); };
  Announce(resolved, loaded.train, options.common.quiet);
  const Model model = (*session).Fit(loaded.train, options.kernel, fit_options);
  FitReport report = ReportOn(model, model.warnings(), loaded, options.common.verbose);
  std::vector<ComparedFit> comparison;
  if (!compare.empty()) {
    comparison.push_back(Compared(model, held_out));
    fit_options.transform = TransformChoiceFromName(std::string(Name(model.transform().kind())));  // likelihoods of one
    for (const Method other : compare) {
      comparison.push_back(FitForComparison(*session, loaded.train, held_out, options.kernel, fit_options, other));
    }
  }
  progress.reset();
  Results results;
  const std::optional<Explanation> explanation = AddModelOutput(model, loaded, options.data, options.explain, results);
  if (loaded.stream) {
    StreamResult streamed = StreamPredictions(model, {.rows = data.predict,
                                                      .output = data.output,
                                                      .unseen = UnseenFromName(data.policies.unseen),
                                                      .threads = options.common.threads,
                                                      .quiet = options.common.quiet});
    results.prediction_scores = streamed.scores;
    for (const std::string& note : streamed.notes) report.warnings.push_back(OneLine(data.predict) + ": " + note);
    if (!options.common.quiet) Message("wrote " + data.output);
  }
  if (options.common.json) {
    results.document = FitDocument(report, options.common.seed, explanation, comparison);
  } else {
    results.text = ReportText(report);
    if (options.explain.print) results.text += "\n" + ExplanationText(*explanation, model.target_name());
    if (!comparison.empty()) {
      results.text += "\n" + Heading("Compared on the same rows (standardised y)") + "\n" + ComparisonText(comparison);
    }
  }
  Deliver(std::move(results), options.data, options.common, model.target_name());
}

}  // namespace

void RegisterFit(CLI::App& app, Selected& selected) {
  auto options = std::make_shared<FitArguments>();
  CLI::App* command = app.add_subcommand("fit", kFitHelp);
  AddTableOptions(*command, options->data);
  command->add_option("-k,--kernel", options->kernel, "Kernel expression [SE]")->type_name("EXPR");
  command
      ->add_option("-m,--method", options->method,
                   "oneshot, refine, ml, adam, multistart, map, svgp, ahgp or neighbours [oneshot]")
      ->type_name("NAME");
  command
      ->add_option("--steps", options->steps,
                   "Most optimiser steps [the method's default]; oneshot: 0, the network's answer alone")
      ->type_name("K")
      ->check(CLI::Range(0, 1000000));
  command->add_option("--objective", options->objective, "What refine optimises: ml, or map (adds the log priors) [ml]")
      ->type_name("NAME")
      ->check(CLI::IsMember({"ml", "map"}));
  command->add_option("--weights", options->weights, "Network weights for oneshot and refine [the embedded ones]")
      ->type_name("FILE");
  command->add_option("--restarts", options->restarts, "Number of starts of multistart [10]")
      ->type_name("R")
      ->check(CLI::Range(1, 100000));
  command->add_option("--inducing", options->inducing, "Number of inducing points of svgp [0: half the rows]")
      ->type_name("M")
      ->check(CLI::Range(0, 1000000));
  command
      ->add_option("--neighbours", options->neighbours,
                   "neighbours: nearest rows that a prediction uses [0: as many as are worth it, 64 to 256]")
      ->type_name("M")
      ->check(CLI::Range(0, 2000));
  command->add_flag("--every-lengthscale", options->every_lengthscale,
                    "neighbours: tune every parameter, not only an overall lengthscale, amplitude and noise");
  command->add_flag("--exact", options->exact,
                    "oneshot, refine: the exact posterior whatever it costs, also for thousands of rows");
  command
      ->add_option("--transform", options->transform,
                   "Fit the target through none, log, boxcox (a square root) or auto: by evidence [none]")
      ->type_name("NAME");
  command->add_option("--compare", options->compare, "Also fit the same rows with these methods and compare them")
      ->type_name("LIST");
  AddExplainOptions(*command, options->explain);
  AddResultOptions(*command, options->data);
  AddCommonOptions(*command, options->common);
  command->footer(kFitExamples);
  command->callback([options, &selected] { selected.run = [options] { RunFit(*options); }; });
}

}  // namespace instantgp::cli

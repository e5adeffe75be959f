// `instantgp evaluate`: runs an experiment and writes its records, tables and figures.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "apps/cli/options/common.h"
#include "apps/cli/terminal/interrupt.h"
#include "apps/cli/terminal/progress.h"
#include "apps/cli/terminal/terminal.h"
#include "instantgp/base/error.h"
#include "instantgp/experiments/protocols/forecasting.h"
#include "instantgp/experiments/run/experiment.h"

namespace instantgp::cli {
namespace {

constexpr char kEvaluateExamples[] = R"(Examples:
  instantgp evaluate benchmark --data DIR --out results/benchmark
  instantgp evaluate ahgp --data DIR --splits 20
  instantgp evaluate simulated --methods oneshot,ml,truth
  instantgp evaluate benchmark --quick
  instantgp evaluate tables --data DIR --splits 5
  instantgp evaluate tables --data DIR --kernel "SE, SE + LIN" --methods bare,oneshot,ml --rows 200

The folder (--out) receives records.csv, records.json, tables.md and figures. The same command continues a stopped
run; more --splits, --methods or kernels add to what is there. docs/evaluate.md says where the real datasets come from.

tables takes any folder: every *.csv in it, with the target as the last column. The method bare is the network's answer
without one-shot's steps down the likelihood (fit --steps 0).)";

// Kernels separated by commas; a comma inside parentheses or quotes belongs to a kernel.
std::vector<std::string> SplitKernels(const std::vector<std::string>& lists) {
  std::vector<std::string> kernels;
  for (const std::string& list : lists) {
    kernels.emplace_back();
    int depth = 0;
    char quote = 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
      const char c = list[k];
      if (quote == 0 && depth == 0 && c == ',') {
        kernels.emplace_back();
        continue;
      }
      kernels.back() += c;
      if (quote != 0) {
        if (c == '\\' && k + 1 < list.size()) kernels.back() += list[++k];
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      }
    }
  }
  for (std::string& kernel : kernels) {
    kernel.erase(0, std::min(kernel.find_first_not_of(' '), kernel.size()));
    kernel.erase(kernel.find_last_not_of(' ') + 1);
  }
  return kernels;
}

struct Arguments {
  CommonOptions common;
  std::string experiment;
  ExperimentOptions options;
};

// The competition has its own measures, and its records no place among those of tables.
void RunForecasting(const Arguments& arguments) {
  if (arguments.options.data.empty()) {
    throw Error(ErrorCode::kUsage, "forecasting needs the folder of the M3 files", {{"data"}});
  }
  ForecastingOptions options{
      arguments.options.data, arguments.options.quick, arguments.common.threads, StopToken(), {}};
  SetPatience(60);
  ForecastingResult result;
  {
    Progress progress("series", arguments.common.quiet);
    options.progress = [&](int done, int of, double seconds_left) { progress.Update(done, of, seconds_left); };
    result = EvaluateForecasting(options);
  }
  const std::string out = arguments.options.out.empty()
                              ? std::string("results/forecasting") + (options.quick ? "-quick" : "")
                              : arguments.options.out;
  std::filesystem::create_directories(out);
  OutputFiles files;
  files.Add(out + "/records.csv", result.records_csv);
  files.Add(out + "/tables.md", result.markdown);
  files.Write(arguments.common.quiet);
  if (!arguments.common.json) {
    WriteStdout(result.markdown);
    return;
  }
  Json document;
  document["schema"] = "instantgp/evaluate/1";
  document["experiment"] = "forecasting";
  document["records"] = Json::array();
  for (const ForecastingRecord& r : result.records) {
    document["records"].push_back({{"frequency", r.frequency},
                                   {"series", r.series},
                                   {"method", r.method},
                                   {"n", r.n},
                                   {"smape", r.score.smape},
                                   {"mase", r.score.mase},
                                   {"scrps", r.score.scrps},
                                   {"msis", r.score.msis},
                                   {"coverage95", r.score.coverage95},
                                   {"ms", r.ms},
                                   {"status", r.status}});
  }
  WriteStdout(JsonText(std::move(document)));
}

void RunEvaluate(Arguments arguments) {
  if (arguments.experiment == "forecasting") return RunForecasting(arguments);
  const Experiment& experiment = FindExperiment(arguments.experiment);
  ExperimentOptions& options = arguments.options;
  if (options.out.empty()) options.out = "results/" + experiment.name + (options.quick ? "-quick" : "");
  options.kernels = SplitKernels(options.kernels);
  options.seed = arguments.common.seed;
  options.threads = arguments.common.threads;
  options.stop = StopToken();
  SetPatience(60);  // a fit looks at the token once an evaluation
  ExperimentResult result;
  {
    Progress progress("tasks", arguments.common.quiet);
    options.progress = [&](int done, int of, double seconds_left) { progress.Update(done, of, seconds_left); };
    result = RunExperiment(experiment, options);
  }
  if (arguments.common.json) {
    Json document;
    document["schema"] = "instantgp/evaluate/1";
    document["experiment"] = experiment.name;
    document["seed"] = options.seed;
    document["quick"] = options.quick;
    document["out"] = options.out;
    document["files"] = result.files;
    if (!result.report.json.empty()) document.update(Json::parse(result.report.json));
    document["records"] = Json::parse(RecordsToJson(result.records));
    WriteStdout(JsonText(std::move(document)));
  } else {
    WriteStdout(result.report.markdown);
  }
  if (!arguments.common.quiet) {
    for (const std::string& file : result.files) Message("wrote " + options.out + "/" + file);
  }
}

}  // namespace

void RegisterEvaluate(CLI::App& app, Selected& selected) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("evaluate", "Run an experiment of the paper, or compare methods on your own tables");
  std::string footer = "Experiments:\n";
  for (const Experiment& experiment : Experiments()) {
    std::string name = experiment.name;
    name.resize(12, ' ');
    footer += "  " + name + experiment.what + "\n";
  }
  footer += "  forecasting the M3 competition's series: forecasts and their intervals against what came\n";
  command->footer(footer + "\n" + kEvaluateExamples);
  ExperimentOptions& options = arguments->options;
  command->add_option("EXPERIMENT", arguments->experiment, "Name of the experiment")->required();
  command->add_option("--data", options.data, "Folder with the real datasets; tables: with any CSV files")
      ->type_name("DIR");
  command->add_option("--out", options.out, "Folder for the results [results/EXPERIMENT]")->type_name("DIR");
  command->add_option("--splits", options.splits, "Random splits of each dataset [the experiment's default]")
      ->type_name("S")
      ->check(CLI::Range(1, 1000));
  command->add_option("--methods", options.methods, "Methods, separated by commas [the experiment's default]")
      ->type_name("LIST")
      ->delimiter(',');
  command->add_option("--kernel", options.kernels, "tables: kernels, separated by commas or repeated [SE]")
      ->type_name("LIST")
      ->allow_extra_args(false);
  command->add_option("--rows", options.rows, "tables: at most this many training rows [500]")
      ->type_name("N")
      ->check(CLI::Range(2, 1000000));
  command->add_option("--weights", options.weights, "Network weights [the embedded ones]")->type_name("FILE");
  command->add_option("--before", options.weights_before, "finetune: weights before phase 2 of the training")
      ->type_name("FILE");
  command->add_flag("--quick", options.quick, "Run a small version that takes about a minute");
  command->add_flag("--fresh", options.fresh, "Discard earlier records in the folder");
  AddCommonOptions(*command, arguments->common);
  command->callback([arguments, &selected] { selected.run = [arguments] { RunEvaluate(*arguments); }; });
}

}  // namespace instantgp::cli

// The benchmark on the seven real datasets, and what compares methods by the same protocol.
#include <algorithm>

#include "instantgp/base/error.h"
#include "instantgp/experiments/protocols/protocols.h"
#include "instantgp/experiments/protocols/real_splits.h"
#include "instantgp/experiments/report/figures.h"
#include "instantgp/experiments/report/grouping.h"
#include "instantgp/experiments/report/tables.h"
#include "instantgp/experiments/run/score.h"
#include "instantgp/plot/figure.h"

namespace instantgp {
namespace {

// A single symbol, a pair, a triple and a quadruple.
std::vector<ColumnSymbols> FewStructures() {
  const std::vector<ColumnSymbols> all = BenchmarkStructures();
  return {all[0], all[6], all[12], all[18]};
}

std::vector<Task> BenchmarkTasks(const ExperimentOptions& options) {
  return RealTasks(options, options.quick ? FewStructures() : BenchmarkStructures(), std::max(1, options.splits));
}

std::string MedianFigure(const std::vector<Record>& records, Metric metric, const char* label, plot::Scale scale) {
  plot::Figure figure(1, 1, {760, 280});
  DrawMedians(records, metric, scale, figure.At(0, 0));
  figure.At(0, 0).YLabel(label);
  return figure.ToSvg();
}

// Times are divided by the one-shot method's; by L-BFGS's where that is not among the methods.
std::string Reference(const std::vector<Record>& records) {
  const std::vector<std::string> methods = MethodsOf(records);
  for (const char* name : {"oneshot", "ml"}) {
    if (std::find(methods.begin(), methods.end(), name) != methods.end()) return name;
  }
  return methods.empty() ? "" : methods.front();
}

Report BenchmarkReport(const std::vector<Record>& records, const ExperimentOptions&) {
  const std::string reference = Reference(records);
  Report report;
  std::string& text = report.markdown;
  const auto section = [&](const std::string& title, const std::string& table) {
    if (!table.empty()) text += (text.empty() ? "" : "\n") + std::string("### ") + title + "\n\n" + table;
  };
  section("RMSE on standardised targets: median over structures and splits (20th, 80th percentile)",
          MedianTable(records, &Record::rmse));
  section("NLL on standardised targets", MedianTable(records, &Record::nll));
  section("CRPS on standardised targets", MedianTable(records, &Record::crps));
  section("Share of targets inside the 95 percent interval", MedianTable(records, &Record::coverage95));
  section("NLML of the training part, per point (SVGP: its bound)", MedianTable(records, &Record::nlml));
  section("Seconds for a fit (wall clock, one thread)", MedianTable(records, &Record::seconds));
  section("CPU time relative to " + MethodTitle(reference) + ", same structure and split",
          RatioTable(records, &Record::cpu_seconds, reference));
  section("Fits that failed", FailureTable(records));
  report.figures = {{"rmse.svg", MedianFigure(records, &Record::rmse, "RMSE", plot::Scale::kLinear)},
                    {"nll.svg", MedianFigure(records, &Record::nll, "NLL", plot::Scale::kLinear)},
                    {"seconds.svg", MedianFigure(records, &Record::seconds, "seconds", plot::Scale::kLog)}};
  plot::Figure ratios(1, 1, {760, 280});
  DrawRatios(records, &Record::cpu_seconds, reference, ratios.At(0, 0));
  ratios.At(0, 0).YLabel("CPU time / that of " + MethodTitle(reference));
  report.figures.emplace_back("ratios.svg", ratios.ToSvg());
  return report;
}

// The benchmark with two networks. The one before fine-tuning is a method of its own, so that its records stand beside.
std::vector<Task> FinetuneTasks(const ExperimentOptions& options) {
  if (options.before == nullptr) {
    throw Error(ErrorCode::kUsage, "finetune needs the weights from before phase 2 of their training as well",
                {{"before", "FILE"}});
  }
  std::vector<Task> tasks = BenchmarkTasks(options);
  ExperimentOptions before = options;
  before.network = options.before;
  const std::vector<Task> others = BenchmarkTasks(before);
  for (std::size_t c = 0; c < tasks.size(); ++c) {
    tasks[c].run = [after = tasks[c].run, other = others[c].run](const std::string& method) {
      return method == "no-finetune" ? other("oneshot") : after(method);
    };
  }
  return tasks;
}

}  // namespace

std::uint64_t SplitSeed(std::uint64_t seed, int split) { return (seed << 20U) + static_cast<std::uint64_t>(split); }

Experiment BenchmarkExperiment() {
  return {"benchmark",
          "seven real datasets, 24 structures, all methods: RMSE, NLL, seconds, time ratios",
          {"oneshot", kBareMethod, "refine", "ml", "adam", "multistart", "map", "svgp"},
          {kBareMethod},
          BenchmarkTasks,
          BenchmarkReport};
}

Experiment MapExperiment() {
  return {"map",
          "one-shot against L-BFGS and MAP on the benchmark",
          {"oneshot", kBareMethod, "ml", "map"},
          {kBareMethod},
          BenchmarkTasks,
          BenchmarkReport};
}

Experiment FinetuneExperiment() {
  return {"finetune",
          "one-shot with and without the noise fine-tuning of phase 2, on the benchmark",
          {"oneshot", "no-finetune"},
          {"no-finetune"},
          FinetuneTasks,
          BenchmarkReport};
}

}  // namespace instantgp

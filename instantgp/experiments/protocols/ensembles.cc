// Ensembles of 24 structures against single ones, and what encoding only once saves.
#include <algorithm>
#include <cmath>
#include <memory>

#include "instantgp/base/stopwatch.h"
#include "instantgp/experiments/protocols/protocols.h"
#include "instantgp/experiments/protocols/real_splits.h"
#include "instantgp/experiments/report/figures.h"
#include "instantgp/experiments/report/grouping.h"
#include "instantgp/experiments/report/statistics.h"
#include "instantgp/experiments/report/tables.h"
#include "instantgp/experiments/run/score.h"
#include "instantgp/experiments/run/thread_timer.h"
#include "instantgp/gp/predictive.h"
#include "instantgp/model/fit.h"
#include "instantgp/model/fit_ensemble.h"
#include "instantgp/plot/figure.h"
#include "instantgp/simulate/distribution.h"

namespace instantgp {
namespace {

constexpr char kAllStructures[] = "all structures";
constexpr char kTiming[] = "rows ";  // datasets of the timing part: "rows 100"
constexpr std::size_t kShown = 3;    // datasets in the figure, as in the paper

bool IsTiming(const std::string& dataset) { return dataset.starts_with(kTiming); }

EnsembleOptions OptionsFor(const std::string& method, const FitSettings& settings) {
  EnsembleOptions options;
  options.fit.method = method == "ensemble-ml" ? Method::kMl : Method::kOneShot;
  options.fit.seed = settings.seed;
  return options;
}

SessionOptions SessionFor(const FitSettings& settings) {
  return {.network = settings.network, .threads = 1, .stop = settings.stop};
}

Record ScoreEnsemble(const Dataset& train, const Dataset& test, const std::vector<std::string>& kernels,
                     const std::string& method, const FitSettings& settings) {
  const Stopwatch clock;
  const ThreadTimer timer;
  const Ensemble ensemble = FitEnsemble(train, kernels, OptionsFor(method, settings), SessionFor(settings));
  Record record;
  record.cpu_seconds = timer.Seconds();
  record.seconds = clock.Milliseconds() / 1000;
  const Scaler& scaler = ensemble.scaler();
  SetScores(ScoreMixture(scaler.ScaleY(test.y), Standardized(ensemble.Predict(test.X), scaler)), record);
  for (const EnsembleMember& member : ensemble.members()) {
    record.nlml = std::isnan(record.nlml) ? 0 : record.nlml;
    record.nlml += member.weight * member.model.predictive().nlml();  // weighted mean of the members'
    record.evaluations += member.model.summary().evaluations;
  }
  return record;
}

// The same parameters with the data read anew for every structure: only the time is of interest.
Record TimeOneByOne(const Dataset& train, const std::vector<std::string>& kernels, const FitSettings& settings) {
  const FitOptions fit = OptionsFor("ensemble", settings).fit;
  const Stopwatch clock;
  const ThreadTimer timer;
  Record record;
  for (const std::string& kernel : kernels)
    record.evaluations += Fit(train, kernel, fit, SessionFor(settings)).summary().evaluations;
  record.cpu_seconds = timer.Seconds();
  record.seconds = clock.Milliseconds() / 1000;
  return record;
}

std::vector<std::string> KernelsOf(const ExperimentOptions& options) {
  std::vector<std::string> kernels = BuiltInKernels();
  if (options.quick) kernels = {kernels[0], kernels[6], kernels[12], kernels[18]};
  return kernels;
}

void AddTimingTasks(const ExperimentOptions& options, const std::vector<std::string>& kernels,
                    std::vector<Task>& tasks) {
  for (int n : {50, 100, 250, 500, 1000}) {
    if (options.quick && n > 100) continue;
    SimulationOptions simulation;
    simulation.n = n;
    simulation.d = 2;
    simulation.n_test = 50;
    const auto pair = std::make_shared<const Simulated>(Simulate(simulation, options.seed, 0));
    const FitSettings settings{options.seed, options.stop, options.network};
    Task task{kTiming + std::to_string(n), 0, kAllStructures, std::pow(n, 2), {"ensemble", "one-by-one"}, nullptr};
    task.run = [=](const std::string& method) {
      const Dataset train = Dataset::Of(pair->X, pair->y);
      if (method == "one-by-one") return TimeOneByOne(train, kernels, settings);
      return ScoreEnsemble(train, Dataset::Of(pair->X_test, pair->y_test), kernels, method, settings);
    };
    tasks.push_back(std::move(task));
  }
}

std::vector<Task> EnsembleTasks(const ExperimentOptions& options) {
  const std::vector<std::string> kernels = KernelsOf(options);
  std::vector<Task> tasks;
  for (const RealSplit& part : RealSplits(options, std::max(1, options.splits))) {
    const FitSettings settings{part.seed, options.stop, options.network};
    Task all{part.dataset, part.split, kAllStructures, 24 * RelativeCost(part, 2), {"ensemble", "ensemble-ml"},
             nullptr};
    all.run = [part, settings, kernels](const std::string& method) {
      return ScoreEnsemble(part.Train(), part.Test(), kernels, method, settings);
    };
    tasks.push_back(std::move(all));
    for (const std::string& kernel : kernels) {
      Task single{part.dataset, part.split, kernel, RelativeCost(part, 1), {"oneshot"}, nullptr};
      single.run = [part, settings, kernel](const std::string& method) {
        return FitAndScore(part.Train(), part.Test(), kernel, method, settings);
      };
      tasks.push_back(std::move(single));
    }
  }
  AddTimingTasks(options, kernels, tasks);
  return tasks;
}

// Datasets whose single structures differ most: by the distance of the 20th and 80th percentile of their RMSE.
std::vector<std::string> WidestSpread(const std::vector<Record>& records) {
  std::vector<std::string> datasets = DatasetsOf(records);
  const auto spread = [&](const std::string& dataset) {
    const std::vector<double> values = ValuesOf(records, dataset, "oneshot", &Record::rmse);
    return values.empty() ? -1 : Quantile(values, 0.8) - Quantile(values, 0.2);
  };
  std::stable_sort(datasets.begin(), datasets.end(),
                   [&](const std::string& a, const std::string& b) { return spread(a) > spread(b); });
  datasets.resize(std::min(datasets.size(), kShown));
  return datasets;
}

Report EnsembleReport(const std::vector<Record>& records, const ExperimentOptions&) {
  std::vector<Record> real, timing, shown;
  for (const Record& r : records) (IsTiming(r.dataset) ? timing : real).push_back(r);
  for (const std::string& dataset : WidestSpread(real)) {
    std::copy_if(real.begin(), real.end(), std::back_inserter(shown),
                 [&](const Record& r) { return r.dataset == dataset; });
  }
  Report report;
  report.markdown =
      "### RMSE on standardised targets: ensembles, and single structures as median (20th, 80th percentile)\n\n" +
      MedianTable(real, &Record::rmse) + "\n### NLL on standardised targets\n\n" + MedianTable(real, &Record::nll) +
      "\n### Share of targets inside the 95 percent interval\n\n" + MedianTable(real, &Record::coverage95) +
      "\n### Seconds\n\n" + MedianTable(real, &Record::seconds) +
      "\n### Seconds for all structures, data encoded once or for every structure\n\n" +
      MedianTable(timing, &Record::seconds) + "\n### CPU time relative to encoding once\n\n" +
      RatioTable(timing, &Record::cpu_seconds, "ensemble");
  const std::string failures = FailureTable(records);
  if (!failures.empty()) report.markdown += "\n### Fits that failed\n\n" + failures;
  plot::Figure figure(1, 3, {300, 260});
  DrawMedians(shown, &Record::rmse, plot::Scale::kLinear, figure.At(0, 0));
  figure.At(0, 0).YLabel("RMSE");
  DrawMedians(shown, &Record::seconds, plot::Scale::kLog, figure.At(0, 1));
  figure.At(0, 1).YLabel("seconds");
  DrawRatios(timing, &Record::cpu_seconds, "ensemble", figure.At(0, 2));
  figure.At(0, 2).YLabel("CPU time / that with one encoding");
  report.figures = {{"ensemble.svg", figure.ToSvg()}};
  return report;
}

}  // namespace

Experiment EnsembleExperiment() {
  return {"ensemble",
          "24 structures averaged by evidence, one-shot and ML, against single ones; what encoding once saves",
          {"ensemble", "ensemble-ml", "oneshot", "one-by-one"},
          {"ensemble", "ensemble-ml", "one-by-one"},
          EnsembleTasks,
          EnsembleReport};
}

}  // namespace instantgp

// Experiments on datasets drawn from the training distribution.
#include <cmath>
#include <memory>

#include "instantgp/data/scaler.h"
#include "instantgp/experiments/protocols/protocols.h"
#include "instantgp/experiments/report/figures.h"
#include "instantgp/experiments/report/tables.h"
#include "instantgp/experiments/run/score.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/plot/figure.h"
#include "instantgp/simulate/distribution.h"

namespace instantgp {
namespace {

constexpr int kPairs = 200;
constexpr int kQuickPairs = 20;
constexpr int kTestRows = 50;
// Training and validation draw from other seeds, so these pairs were never seen. Added to the caller's seed.
constexpr std::uint64_t kHeldOutSeed = 0x6865'6c64'6f75'7400;

// The posterior at the parameters the data were drawn with: what no method can beat on average.
Record ScoreTruth(const Simulated& pair) {
  const Posterior posterior(ToExpression(pair.truth), pair.X, pair.y, pair.theta);
  const Scaler scaler = Scaler::Fit(pair.X, pair.y);
  Vector mean, std;
  posterior.MeanAndStd(pair.X_test, Noise::kObserved, &mean, &std);
  Record record;
  SetScores(ScoreGaussian(scaler.ScaleY(pair.y_test), scaler.ScaleY(mean), std / scaler.y_std), record);
  // of standardised targets, as the others'
  record.nlml = posterior.nlml() - std::log(scaler.y_std);
  return record;
}

void AddPairs(const std::string& label, const SimulationOptions& simulation, int count,
              const ExperimentOptions& options, std::vector<Task>& tasks) {
  const std::uint64_t seed = kHeldOutSeed + options.seed;
  for (int index = 0; index < count; ++index) {
    const std::uint64_t number = static_cast<std::uint64_t>(index);
    const auto pair = std::make_shared<const Simulated>(Simulate(simulation, seed, number));
    const int d = static_cast<int>(pair->X.cols());
    Task task{label, index, Print(ToExpression(pair->given), DefaultColumnNames(d)), 0, {}, nullptr};
    task.cost = std::pow(static_cast<double>(pair->X.rows()), 2) * d;
    const FitSettings settings{SplitSeed(options.seed, index), options.stop, options.network};
    task.run = [pair, settings, kernel = task.structure](const std::string& method) {
      if (method == "truth") return ScoreTruth(*pair);
      return FitAndScore(Dataset::Of(pair->X, pair->y), Dataset::Of(pair->X_test, pair->y_test), kernel, method,
                         settings);
    };
    tasks.push_back(std::move(task));
  }
}

Report BoxReport(const std::vector<Record>& records, const ExperimentOptions&) {
  Report report;
  report.markdown =
      "### RMSE on standardised targets: median (20th, 80th percentile)\n\n" + MedianTable(records, &Record::rmse) +
      "\n### NLL on standardised targets\n\n" + MedianTable(records, &Record::nll) + "\n### Mean NLL\n\n" +
      MeanTable(records, &Record::nll) + "\n### Share of targets inside the 95 percent interval, mean\n\n" +
      MeanTable(records, &Record::coverage95) + "\n### Seconds for a fit\n\n" + MedianTable(records, &Record::seconds);
  const std::string failures = FailureTable(records);
  if (!failures.empty()) report.markdown += "\n### Fits that failed\n\n" + failures;
  plot::Figure figure(1, 2, {360, 260});
  DrawBoxes(records, &Record::rmse, figure.At(0, 0));
  figure.At(0, 0).YLabel("RMSE");
  DrawBoxes(records, &Record::nll, figure.At(0, 1));
  figure.At(0, 1).YLabel("NLL");
  report.figures = {{"boxplots.svg", figure.ToSvg()}};
  return report;
}

}  // namespace

Experiment SimulatedExperiment() {
  return {"simulated",
          "200 held-out pairs of data and structure from the training distribution",
          {"oneshot", kBareMethod, "refine", "ml", "map", "truth"},
          {kBareMethod, "truth"},
          [](const ExperimentOptions& options) {
            SimulationOptions simulation;
            simulation.n_test = kTestRows;
            if (options.quick) simulation.max_n = 60;
            std::vector<Task> tasks;
            AddPairs("simulated", simulation, options.quick ? kQuickPairs : kPairs, options, tasks);
            return tasks;
          },
          BoxReport};
}

Experiment SmallNExperiment() {
  return {"small-n",
          "two columns and n = 10, 20, 50, 100, 200 rows, 200 pairs each",
          {"oneshot", kBareMethod, "ml", "map", "truth"},
          {kBareMethod, "truth"},
          [](const ExperimentOptions& options) {
            std::vector<Task> tasks;
            for (int n : {10, 20, 50, 100, 200}) {
              if (options.quick && n > 50) continue;
              SimulationOptions simulation;
              simulation.n = n;
              simulation.d = 2;
              simulation.n_test = kTestRows;
              AddPairs("n=" + std::to_string(n), simulation, options.quick ? kQuickPairs : kPairs, options, tasks);
            }
            return tasks;
          },
          BoxReport};
}

}  // namespace instantgp

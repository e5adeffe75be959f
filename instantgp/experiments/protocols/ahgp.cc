// ARD-SE on the real datasets, next to the published table.
#include <algorithm>

#include "instantgp/experiments/protocols/benchmark_data.h"
#include "instantgp/experiments/protocols/protocols.h"
#include "instantgp/experiments/protocols/real_splits.h"
#include "instantgp/experiments/report/figures.h"
#include "instantgp/experiments/report/grouping.h"
#include "instantgp/experiments/report/statistics.h"
#include "instantgp/experiments/report/tables.h"
#include "instantgp/experiments/run/score.h"
#include "instantgp/inference/trained_network.h"
#include "instantgp/network/config.h"
#include "instantgp/plot/figure.h"

namespace instantgp {
namespace {

constexpr double kSignificance = 0.025;

// Means of `method` over splits; a star where they are significantly smaller than the other's.
std::vector<std::string> MeanRow(const std::vector<Record>& records, const std::string& method,
                                 const std::string& other) {
  std::vector<std::string> row = {MethodTitle(method) + ", here"};
  for (const std::string& dataset : DatasetsOf(records)) {
    const std::vector<double> own = ValuesOf(records, dataset, method, &Record::rmse);
    const std::vector<double> others = ValuesOf(records, dataset, other, &Record::rmse);
    const bool smaller = own.size() > 1 && others.size() > 1 && TwoSampleTTest(own, others).p_smaller < kSignificance;
    row.push_back(own.empty() ? "-" : (smaller ? "*" : "") + Digits(Mean(own), 4));
  }
  return row;
}

// "base (482789 weights, trained on 415000 datasets)"
std::string About(const TrainedNetwork& network) {
  return network.config().name + " (" + std::to_string(network.num_weights()) + " weights, trained on " +
         std::to_string(network.datasets_seen()) + " datasets)";
}

Report AhgpReport(const std::vector<Record>& records, const ExperimentOptions& options) {
  const std::vector<std::string> methods = MethodsOf(records), datasets = DatasetsOf(records);
  std::vector<std::vector<std::string>> rows = {{"RMSE"}, {"GP-Amortized, published"}, {"AHGP-SE-ARD, published"}};
  rows[0].insert(rows[0].end(), datasets.begin(), datasets.end());
  for (const std::string& name : datasets) {
    for (const BenchmarkDataset& about : BenchmarkDatasets()) {
      if (about.name != name) continue;
      rows[1].push_back(Digits(about.published_amortized, 4));
      rows[2].push_back(Digits(about.published_ahgp, 4));
    }
  }
  const auto has = [&](const char* name) { return std::find(methods.begin(), methods.end(), name) != methods.end(); };
  const std::string ahgp_baseline = has("ahgp") ? "ahgp" : "ml";
  for (const std::string& method : methods) {
    const std::string other = method == "oneshot" ? ahgp_baseline : "oneshot";
    rows.push_back(MeanRow(records, method, other));
  }
  int splits = 0;
  for (const Record& record : records) splits = std::max(splits, record.split + 1);
  Report report;
  report.markdown = "### RMSE on standardised targets, ARD-SE, mean of " + std::to_string(splits) + " splits\n\n" +
                    MarkdownTable(rows) + "\n* significantly smaller, two-sample t-test at " +
                    Digits(kSignificance, 2) + ": one-shot against " + MethodTitle(ahgp_baseline) +
                    ", every other method against one-shot\n\n" + "### NLL on standardised targets, mean\n\n" +
                    MeanTable(records, &Record::nll) + "\n### Seconds for a fit, median\n\n" +
                    MedianTable(records, &Record::seconds);
  const TrainedNetwork& ours = options.network != nullptr ? *options.network : TrainedNetwork::Embedded();
  report.markdown += "\nNetworks: " + About(ours) + "; " + About(TrainedNetwork::EmbeddedAhgp()) + ".\n";
  const std::string failures = FailureTable(records);
  if (!failures.empty()) report.markdown += "\n### Fits that failed\n\n" + failures;
  plot::Figure figure(1, 1, {760, 280});
  DrawBoxes(records, &Record::rmse, figure.At(0, 0));
  figure.At(0, 0).YLabel("RMSE");
  report.figures = {{"rmse.svg", figure.ToSvg()}};
  return report;
}

}  // namespace

Experiment AhgpExperiment() {
  return {"ahgp",
          "ARD-SE on seven real datasets over 20 splits, next to the published table",
          {"oneshot", kBareMethod, "ahgp", "refine", "ml"},
          {kBareMethod},
          [](const ExperimentOptions& options) {
            const int splits = options.splits > 0 ? options.splits : options.quick ? 3 : 20;
            return RealTasks(options, {BenchmarkStructures()[0]}, splits);
          },
          AhgpReport};
}

}  // namespace instantgp

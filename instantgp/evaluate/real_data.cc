// Experiments on the seven real datasets.
#include <algorithm>
#include <cmath>
#include <memory>

#include "instantgp/data/airline.h"
#include "instantgp/data/split.h"
#include "instantgp/evaluate/benchmark_data.h"
#include "instantgp/evaluate/figures.h"
#include "instantgp/evaluate/grouping.h"
#include "instantgp/evaluate/protocols.h"
#include "instantgp/evaluate/score.h"
#include "instantgp/evaluate/statistics.h"
#include "instantgp/evaluate/tables.h"
#include "instantgp/kernel/structure_list.h"
#include "instantgp/plot/figure.h"

namespace instantgp {
namespace {

constexpr int kQuickRows = 100;  // of each part

struct RealData {
  const BenchmarkDataset* about;
  Dataset table;
};

std::vector<RealData> OpenRealData(const ExperimentOptions& options) {
  const std::vector<BenchmarkDataset>& all = BenchmarkDatasets();
  std::vector<RealData> data;
  if (options.quick && options.data.empty()) {  // the one the library carries
    const auto airline = std::find_if(all.begin(), all.end(), [](const auto& d) { return d.name == "Airline"; });
    data.push_back({&*airline, AirlineExample()});
    return data;
  }
  std::vector<Dataset> tables = LoadBenchmarkData(options.data);
  for (std::size_t k = 0; k < all.size(); ++k) data.push_back({&all[k], std::move(tables[k])});
  return data;
}

std::vector<Cell> RealCells(const ExperimentOptions& options, const std::vector<ColumnSymbols>& structures,
                            int splits) {
  const auto data = std::make_shared<const std::vector<RealData>>(OpenRealData(options));
  const FitSettings settings{0, options.stop, options.network};
  std::vector<Cell> cells;
  for (std::size_t k = 0; k < data->size(); ++k) {
    const BenchmarkDataset& about = *(*data)[k].about;
    const int n_train = options.quick ? std::min(about.n_train, kQuickRows) : about.n_train;
    const int n_test = options.quick ? kQuickRows : kMaxTestRows;
    for (int split = 0; split < splits; ++split) {
      for (const ColumnSymbols& symbols : structures) {
        Cell cell{about.name, split, ShorthandText(symbols), 0, nullptr};
        cell.cost = std::pow(n_train, 2.5) * static_cast<double>(symbols.size()) * about.inputs;
        const std::uint64_t seed = SplitSeed(options.seed, split);
        cell.run = [=, kernel = cell.structure](const std::string& method) {
          const Dataset& table = (*data)[k].table;
          const Split rows = CountSplit(table.rows(), n_train, n_test, seed);
          FitSettings own = settings;
          own.seed = seed;
          return FitAndScore(SelectRows(table, rows.train), SelectRows(table, rows.test), kernel, method, own);
        };
        cells.push_back(std::move(cell));
      }
    }
  }
  return cells;
}

// A single symbol, a pair, a triple and a quadruple.
std::vector<ColumnSymbols> FewStructures() {
  const std::vector<ColumnSymbols> all = BenchmarkStructures();
  return {all[0], all[6], all[12], all[18]};
}

std::vector<Cell> BenchmarkCells(const ExperimentOptions& options) {
  return RealCells(options, options.quick ? FewStructures() : BenchmarkStructures(), std::max(1, options.splits));
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

Report BenchmarkReport(const std::vector<Record>& records) {
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
  section("Seconds for a fit", MedianTable(records, &Record::seconds));
  section("Time relative to " + MethodTitle(reference) + ", same structure and split",
          RatioTable(records, &Record::seconds, reference));
  section("Fits that failed", FailureTable(records));
  report.figures = {{"rmse.svg", MedianFigure(records, &Record::rmse, "RMSE", plot::Scale::kLinear)},
                    {"nll.svg", MedianFigure(records, &Record::nll, "NLL", plot::Scale::kLinear)},
                    {"seconds.svg", MedianFigure(records, &Record::seconds, "seconds", plot::Scale::kLog)}};
  plot::Figure ratios(1, 1, {760, 280});
  DrawRatios(records, &Record::seconds, reference, ratios.At(0, 0));
  ratios.At(0, 0).YLabel("time / time of " + MethodTitle(reference));
  report.figures.emplace_back("ratios.svg", ratios.ToSvg());
  return report;
}

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

Report AhgpReport(const std::vector<Record>& records) {
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
  const std::string rival = has("ahgp") ? "ahgp" : "ml";
  for (const std::string& method : methods) {
    const std::string other = method == "oneshot" ? rival : "oneshot";
    rows.push_back(MeanRow(records, method, other));
  }
  int splits = 0;
  for (const Record& record : records) splits = std::max(splits, record.split + 1);
  Report report;
  report.markdown = "### RMSE on standardised targets, ARD-SE, mean of " + std::to_string(splits) + " splits\n\n" +
                    MarkdownTable(rows) + "\n* significantly smaller, two-sample t-test at " +
                    Digits(kSignificance, 2) + ": one-shot against " + MethodTitle(rival) +
                    ", every other method against one-shot\n\n" + "### NLL on standardised targets, mean\n\n" +
                    MeanTable(records, &Record::nll) + "\n### Seconds for a fit, median\n\n" +
                    MedianTable(records, &Record::seconds);
  const std::string failures = FailureTable(records);
  if (!failures.empty()) report.markdown += "\n### Fits that failed\n\n" + failures;
  plot::Figure figure(1, 1, {760, 280});
  DrawBoxes(records, &Record::rmse, figure.At(0, 0));
  figure.At(0, 0).YLabel("RMSE");
  report.figures = {{"rmse.svg", figure.ToSvg()}};
  return report;
}

}  // namespace

std::uint64_t SplitSeed(std::uint64_t seed, int split) { return (seed << 20U) + static_cast<std::uint64_t>(split); }

Experiment BenchmarkExperiment() {
  return {"benchmark",
          "seven real datasets, 24 structures, all methods: RMSE, NLL, seconds, time ratios",
          {"oneshot", "refine", "ml", "adam", "multistart", "map", "svgp"},
          {},
          BenchmarkCells,
          BenchmarkReport};
}

Experiment MapExperiment() {
  return {
      "map",          "one-shot against L-BFGS and MAP on the benchmark", {"oneshot", "ml", "map"}, {}, BenchmarkCells,
      BenchmarkReport};
}

Experiment AhgpExperiment() {
  return {"ahgp",
          "ARD-SE on seven real datasets over 20 splits, next to the published table",
          {"oneshot", "ahgp", "refine", "ml"},
          {},
          [](const ExperimentOptions& options) {
            const int splits = options.splits > 0 ? options.splits : options.quick ? 3 : 20;
            return RealCells(options, {BenchmarkStructures()[0]}, splits);
          },
          AhgpReport};
}

}  // namespace instantgp

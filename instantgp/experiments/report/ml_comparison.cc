#include "instantgp/experiments/report/ml_comparison.h"

#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "instantgp/experiments/report/grouping.h"
#include "instantgp/experiments/report/statistics.h"

namespace instantgp {
namespace {

using FitsBySplit = std::map<int, const Record*>;
using RecordList = std::vector<const Record*>;

bool Succeeded(const Record& record) { return record.ok() && std::isfinite(record.rmse) && std::isfinite(record.nll); }

double MeanOver(const RecordList& records, Metric metric) {
  std::vector<double> values;
  for (const Record* record : records) values.push_back(record->*metric);
  return Mean(values);
}

// Equal numbers have the ratio 1 even if they are zero: a constant target is predicted without error by every method.
double RatioOfMeans(const RecordList& own, const RecordList& reference, Metric metric) {
  const double numerator = MeanOver(own, metric), denominator = MeanOver(reference, metric);
  return numerator == denominator ? 1 : numerator / denominator;
}

void AddMeans(const FitsBySplit& fits, TableRow& row) {
  RecordList good;
  for (const auto& [split, record] : fits) {
    ++row.splits;
    if (Succeeded(*record)) {
      good.push_back(record);
    } else if (++row.failed == 1) {
      row.status = record->ok() ? "numerical: the predictions are not finite" : record->status;
    }
  }
  if (good.empty()) return;
  row.rmse = MeanOver(good, &Record::rmse);
  row.nll = MeanOver(good, &Record::nll);
  row.nlml = MeanOver(good, &Record::nlml);
  row.coverage95 = MeanOver(good, &Record::coverage95);
  row.ms = 1000 * MeanOver(good, &Record::seconds);
}

void AddComparison(const FitsBySplit& fits, const FitsBySplit& reference, TableRow& row) {
  RecordList own, ml;
  for (const auto& [split, record] : fits) {
    const auto other = reference.find(split);
    if (other == reference.end() || !Succeeded(*record) || !Succeeded(*other->second)) continue;
    own.push_back(record);
    ml.push_back(other->second);
  }
  if (own.empty()) return;
  row.rmse_ratio = RatioOfMeans(own, ml, &Record::rmse);
  row.nll_difference = MeanOver(own, &Record::nll) - MeanOver(ml, &Record::nll);
  row.time_ratio = RatioOfMeans(own, ml, &Record::cpu_seconds);
}

// The numbers of one method, collected row by row.
struct Collected {
  MethodSummary summary;
  std::vector<double> rmse_ratios, nll_differences, time_ratios, coverages;
};

void Collect(const TableRow& row, Collected& of) {
  MethodSummary& summary = of.summary;
  summary.fits += row.splits;
  summary.failed += row.failed;
  if (std::isfinite(row.coverage95)) of.coverages.push_back(row.coverage95);
  if (std::isfinite(row.time_ratio) && row.time_ratio > 0) of.time_ratios.push_back(row.time_ratio);
  if (!std::isfinite(row.rmse_ratio) || !(row.rmse_ratio > 0)) return;
  ++summary.compared;
  of.rmse_ratios.push_back(row.rmse_ratio);
  of.nll_differences.push_back(row.nll_difference);
  if (std::abs(row.rmse_ratio - 1) <= kTieMargin) {
    ++summary.ties;
  } else {
    ++(row.rmse_ratio < 1 ? summary.wins : summary.losses);
  }
  if (!(row.rmse_ratio <= summary.worst_ratio)) {  // the first one too, whose predecessor is NaN
    summary.worst_ratio = row.rmse_ratio;
    summary.worst_table = row.table;
    summary.worst_kernel = row.kernel;
  }
}

MethodSummary Finished(Collected of) {
  MethodSummary& summary = of.summary;
  summary.rmse_ratio = GeometricMean(of.rmse_ratios);
  summary.nll_difference_mean = Mean(of.nll_differences);
  summary.nll_difference_median = Median(of.nll_differences);
  summary.time_ratio = GeometricMean(of.time_ratios);
  summary.coverage95 = Mean(of.coverages);
  return std::move(summary);
}

}  // namespace

std::vector<TableRow> TableRows(const std::vector<Record>& records) {
  std::map<std::tuple<std::string, std::string, std::string>, FitsBySplit> fits;
  for (const Record& record : records) {
    fits[{record.dataset, record.structure, record.method}][record.split] = &record;
  }
  const std::vector<std::string> kernels = StructuresOf(records), methods = MethodsOf(records);
  std::vector<TableRow> rows;
  for (const std::string& table : DatasetsOf(records)) {
    for (const std::string& kernel : kernels) {
      const auto reference = fits.find({table, kernel, "ml"});
      for (const std::string& method : methods) {
        const auto own = fits.find({table, kernel, method});
        if (own == fits.end()) continue;
        TableRow& row = rows.emplace_back();
        row.table = table;
        row.kernel = kernel;
        row.method = method;
        AddMeans(own->second, row);
        if (reference != fits.end()) AddComparison(own->second, reference->second, row);
      }
    }
  }
  return rows;
}

std::vector<MethodSummary> SummarizeMethods(const std::vector<TableRow>& rows) {
  std::vector<Collected> collected;
  std::map<std::string, std::size_t> place;
  for (const TableRow& row : rows) {
    const auto [entry, is_new] = place.emplace(row.method, collected.size());
    if (is_new) collected.emplace_back().summary.method = row.method;
    Collect(row, collected[entry->second]);
  }
  std::vector<MethodSummary> summaries;
  summaries.reserve(collected.size());
  for (Collected& one : collected) summaries.push_back(Finished(std::move(one)));
  return summaries;
}

}  // namespace instantgp

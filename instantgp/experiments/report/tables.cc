#include "instantgp/experiments/report/tables.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <utility>

#include "instantgp/experiments/report/grouping.h"
#include "instantgp/experiments/report/statistics.h"

namespace instantgp {
namespace {

using CellText = std::function<std::string(const std::string& dataset, const std::string& method)>;

std::string ByMethodAndDataset(const std::vector<Record>& records, const CellText& cell) {
  const std::vector<std::string> datasets = DatasetsOf(records);
  std::vector<std::vector<std::string>> rows = {{"method"}};
  rows[0].insert(rows[0].end(), datasets.begin(), datasets.end());
  for (const std::string& method : MethodsOf(records)) {
    std::vector<std::string> row = {MethodTitle(method)};
    for (const std::string& dataset : datasets) row.push_back(cell(dataset, method));
    rows.push_back(std::move(row));
  }
  return MarkdownTable(rows);
}

std::string MedianAndPercentiles(const std::vector<double>& values) {
  if (values.empty()) return "-";
  if (values.size() == 1) return Digits(values[0]);
  return Digits(Median(values)) + " (" + Digits(Quantile(values, 0.2)) + ", " + Digits(Quantile(values, 0.8)) + ")";
}

}  // namespace

std::string Digits(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%#.*g", digits, value);
  std::string number = text;
  if (number.back() == '.') number.pop_back();
  return number;
}

std::string MarkdownTable(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 3);
    for (std::size_t j = 0; j < row.size(); ++j) widths[j] = std::max(widths[j], row[j].size());
  }
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += "|";
    for (std::size_t j = 0; j < widths.size(); ++j) {
      const std::string cell = j < rows[i].size() ? rows[i][j] : "";
      const std::string padding(widths[j] - cell.size(), ' ');
      text += " " + (j == 0 ? cell + padding : padding + cell) + " |";
    }
    text += "\n";
    if (i > 0) continue;
    text += "|";
    for (std::size_t j = 0; j < widths.size(); ++j) {
      text += (j == 0 ? ":" : "-") + std::string(widths[j], '-') + (j == 0 ? "-|" : ":|");
    }
    text += "\n";
  }
  return text;
}

std::string MedianTable(const std::vector<Record>& records, Metric metric) {
  return ByMethodAndDataset(records, [&](const std::string& dataset, const std::string& method) {
    return MedianAndPercentiles(ValuesOf(records, dataset, method, metric));
  });
}

std::string RatioTable(const std::vector<Record>& records, Metric metric, const std::string& reference) {
  const bool there =
      std::any_of(records.begin(), records.end(), [&](const Record& r) { return r.method == reference; });
  if (!there) return "";
  return ByMethodAndDataset(records, [&](const std::string& dataset, const std::string& method) {
    return MedianAndPercentiles(RatiosOf(records, dataset, method, reference, metric));
  });
}

std::string MeanTable(const std::vector<Record>& records, Metric metric) {
  return ByMethodAndDataset(records, [&](const std::string& dataset, const std::string& method) {
    const std::vector<double> values = ValuesOf(records, dataset, method, metric);
    return values.empty() ? "-" : Digits(Mean(values));
  });
}

std::string FailureTable(const std::vector<Record>& records) {
  if (std::all_of(records.begin(), records.end(), [](const Record& r) { return r.ok(); })) return "";
  return ByMethodAndDataset(records, [&](const std::string& dataset, const std::string& method) {
    const long all = std::count_if(records.begin(), records.end(),
                                   [&](const Record& r) { return r.dataset == dataset && r.method == method; });
    return std::to_string(CountFailures(records, dataset, method)) + " of " + std::to_string(all);
  });
}

}  // namespace instantgp

#include "instantgp/experiments/protocols/table_report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "instantgp/experiments/protocols/table_folder.h"
#include "instantgp/experiments/protocols/table_splits.h"
#include "instantgp/experiments/report/figures.h"
#include "instantgp/experiments/report/grouping.h"
#include "instantgp/experiments/report/ml_comparison.h"
#include "instantgp/experiments/report/statistics.h"
#include "instantgp/experiments/report/tables.h"
#include "instantgp/plot/figure.h"

namespace instantgp {
namespace {

using ReportJson = nlohmann::ordered_json;

constexpr double kPixelsPerTable = 34;  // room for a slanted label and three methods
constexpr double kNarrowestPanel = 420;
constexpr double kPanelHeight = 230;
constexpr int kNamedBeyond = 3;  // differences beyond the axis that a title has room for

struct TableSize {
  int train = 0, test = 0, inputs = 0;
};

std::map<std::string, TableSize> SizesOf(const ExperimentOptions& options) {
  std::map<std::string, TableSize> sizes;
  if (options.tables == nullptr) return sizes;
  for (const FolderTable& table : options.tables->tables) {
    const Split split = TableSplit(table.data->rows(), MostTrainingRows(options), 0);
    sizes[table.name] = {static_cast<int>(split.train.size()), static_cast<int>(split.test.size()),
                         table.data->columns()};
  }
  return sizes;
}

bool HasMl(const std::vector<MethodSummary>& summaries) {
  return std::any_of(summaries.begin(), summaries.end(), [](const MethodSummary& s) { return s.method == "ml"; });
}

std::string CellOf(std::string text) {  // a bar would end the cell
  for (std::size_t k = text.find('|'); k != std::string::npos; k = text.find('|', k + 2)) text.insert(k, "\\");
  return text;
}

std::string Signed(double value) { return (value > 0 ? "+" : "") + Digits(value); }

// Never with an exponent: a fit may take seconds.
std::string Milliseconds(double value) { return !(value >= 100) ? Digits(value) : std::to_string(std::lround(value)); }

// "3 fits" and "1 fit".
std::string Fits(int count) { return std::to_string(count) + (count == 1 ? " fit" : " fits"); }

std::string SummaryText(const std::vector<MethodSummary>& summaries) {
  const std::string ml = MethodTitle("ml");
  std::vector<std::vector<std::string>> rows = {{"method", "RMSE ratio", "worst", "on", "NLL difference, median",
                                                 "mean", "wins/ties/losses", "95 % coverage", "time ratio", "failed"}};
  for (const MethodSummary& s : summaries) {
    const bool compared = s.compared > 0 && s.method != "ml";
    rows.push_back(
        {MethodTitle(s.method), Digits(s.rmse_ratio), compared ? Digits(s.worst_ratio) : "-",
         compared ? CellOf(s.worst_table) : "-", Signed(s.nll_difference_median), Signed(s.nll_difference_mean),
         compared ? std::to_string(s.wins) + "/" + std::to_string(s.ties) + "/" + std::to_string(s.losses) : "-",
         Digits(s.coverage95), Digits(s.time_ratio), std::to_string(s.failed) + " of " + std::to_string(s.fits)});
  }
  std::string text = "### Methods next to " + ml + "\n\n" + MarkdownTable(rows) + "\n";
  if (!HasMl(summaries)) return text + "There is nothing to compare with: " + ml + " is not among the methods.\n";
  return text + "RMSE and time: geometric means of the ratios to " + ml +
         " over tables and kernels (below 1: better, faster; time is CPU time). NLL: the difference to " + ml +
         " (below 0: better). A win or a loss is an RMSE that differs by more than " + Digits(100 * kTieMargin, 1) +
         " %.\n";
}

std::string RowsText(const std::vector<TableRow>& rows, const std::map<std::string, TableSize>& sizes) {
  std::vector<std::vector<std::string>> cells = {
      {"table", "n", "d", "kernel", "method", "RMSE", "NLL", "NLML", "95 % coverage", "ms"}};
  int splits = 0;
  for (const TableRow& row : rows) {
    const auto size = sizes.find(row.table);
    const bool known = size != sizes.end();
    cells.push_back({CellOf(row.table), known ? std::to_string(size->second.train) : "-",
                     known ? std::to_string(size->second.inputs) : "-", CellOf(row.kernel), MethodTitle(row.method),
                     Digits(row.rmse), Digits(row.nll), Digits(row.nlml), Digits(row.coverage95),
                     Milliseconds(row.ms)});
    splits = std::max(splits, row.splits);
  }
  return "### Every table: n training rows, d inputs; means of " + std::to_string(splits) +
         (splits == 1 ? " split" : " splits") + "\n\n" + MarkdownTable(cells) +
         "\nRMSE and NLL on standardised targets of the test rows, NLML of the training rows per point, wall time of "
         "a " +
         "fit.\n";
}

std::string FailuresText(const std::vector<TableRow>& rows) {
  std::string text;
  for (const TableRow& row : rows) {
    if (row.failed == 0) continue;
    text += "- " + row.table + ", " + row.kernel + ", " + MethodTitle(row.method) + ": " + std::to_string(row.failed) +
            " of " + Fits(row.splits) + ": " + row.status + "\n";
  }
  return text.empty() ? text : "\n### Fits that failed\n\n" + text;
}

std::string SkippedText(const ExperimentOptions& options) {
  if (options.tables == nullptr || options.tables->skipped.empty()) return "";
  std::string text = "\n### Files left out\n\n";
  for (const SkippedFile& skipped : options.tables->skipped) text += "- " + skipped.file + ": " + skipped.reason + "\n";
  return text;
}

ReportJson NumberOrNull(double value) { return std::isfinite(value) ? ReportJson(value) : ReportJson(nullptr); }

ReportJson RowJson(const TableRow& row, const std::map<std::string, TableSize>& sizes) {
  const auto size = sizes.find(row.table);
  const auto count = [&](int TableSize::*member) {
    return size == sizes.end() ? ReportJson(nullptr) : ReportJson(size->second.*member);
  };
  return {{"table", row.table},
          {"n", count(&TableSize::train)},
          {"n_test", count(&TableSize::test)},
          {"d", count(&TableSize::inputs)},
          {"kernel", row.kernel},
          {"method", row.method},
          {"rmse", NumberOrNull(row.rmse)},
          {"nll", NumberOrNull(row.nll)},
          {"nlml", NumberOrNull(row.nlml)},
          {"coverage95", NumberOrNull(row.coverage95)},
          {"ms", NumberOrNull(row.ms)},
          {"rmse_ratio_to_ml", NumberOrNull(row.rmse_ratio)},
          {"nll_minus_ml", NumberOrNull(row.nll_difference)},
          {"time_ratio_to_ml", NumberOrNull(row.time_ratio)},
          {"splits", row.splits},
          {"failed", row.failed},
          {"status", row.status}};
}

ReportJson SummaryJson(const MethodSummary& s, const std::vector<TableRow>& rows) {
  ReportJson failures = ReportJson::array();
  for (const TableRow& row : rows) {
    if (row.method != s.method || row.failed == 0) continue;
    failures.push_back({{"table", row.table}, {"kernel", row.kernel}, {"failed", row.failed}, {"status", row.status}});
  }
  return {{"rmse_ratio_to_ml", NumberOrNull(s.rmse_ratio)},
          {"worst_rmse_ratio_to_ml", NumberOrNull(s.worst_ratio)},
          {"worst_table", s.compared > 0 ? ReportJson(s.worst_table) : ReportJson(nullptr)},
          {"worst_kernel", s.compared > 0 ? ReportJson(s.worst_kernel) : ReportJson(nullptr)},
          {"nll_minus_ml", NumberOrNull(s.nll_difference_mean)},
          {"nll_minus_ml_median", NumberOrNull(s.nll_difference_median)},
          {"coverage95", NumberOrNull(s.coverage95)},
          {"time_ratio_to_ml", NumberOrNull(s.time_ratio)},
          {"wins", s.wins},
          {"ties", s.ties},
          {"losses", s.losses},
          {"compared", s.compared},
          {"fits", s.fits},
          {"failed", s.failed},
          {"failures", std::move(failures)}};
}

std::string JsonOf(const std::vector<TableRow>& rows, const std::vector<MethodSummary>& summaries,
                   const std::map<std::string, TableSize>& sizes, const ExperimentOptions& options) {
  ReportJson document = {
      {"tables", ReportJson::array()}, {"summary", ReportJson::object()}, {"skipped", ReportJson::array()}};
  for (const TableRow& row : rows) document["tables"].push_back(RowJson(row, sizes));
  for (const MethodSummary& s : summaries) document["summary"][s.method] = SummaryJson(s, rows);
  if (options.tables != nullptr) {
    for (const SkippedFile& skipped : options.tables->skipped) {
      document["skipped"].push_back({{"file", skipped.file}, {"reason", skipped.reason}});
    }
  }
  return document.dump(1, ' ', false, ReportJson::error_handler_t::replace) + "\n";
}

// One difference in the hundreds would flatten all others: the axis then ends at three times what nine tenths of them
// stay within, and the title names what lies beyond.
void LimitDifferences(const std::vector<TableRow>& rows, plot::Axes& axes) {
  std::vector<double> sizes;
  double lowest = 0, highest = 0;
  for (const TableRow& row : rows) {
    if (row.method == "ml" || !std::isfinite(row.nll_difference)) continue;
    sizes.push_back(std::abs(row.nll_difference));
    lowest = std::min(lowest, row.nll_difference);
    highest = std::max(highest, row.nll_difference);
  }
  if (sizes.empty()) return;
  const double limit = std::max(0.1, 3 * Quantile(sizes, 0.9));
  if (std::max(-lowest, highest) <= limit) return;
  axes.YLimits(std::max(1.05 * lowest, -limit), std::min(1.05 * highest, limit));
  std::string beyond;
  int count = 0;
  for (const TableRow& row : rows) {
    if (row.method == "ml" || !(std::abs(row.nll_difference) > limit) || ++count > kNamedBeyond) continue;
    beyond += (beyond.empty() ? "beyond the axis: " : ", ") + row.table + " " + MethodTitle(row.method) + " " +
              Signed(row.nll_difference);
  }
  if (count > kNamedBeyond) beyond += ", and " + std::to_string(count - kNamedBeyond) + " more";
  axes.Title(beyond);
}

std::string FigureOf(const std::vector<Record>& records, const std::vector<TableRow>& rows, bool with_ml) {
  const std::vector<std::string> tables = DatasetsOf(records);
  const double width = std::max(kNarrowestPanel, kPixelsPerTable * static_cast<double>(tables.size()));
  plot::Figure figure(2, 1, {width, kPanelHeight});
  plot::Axes &above = figure.At(0, 0), &below = figure.At(1, 0);
  below.Legend(plot::LegendPlace::kNone);  // the same as above
  if (!with_ml) {
    DrawMedians(records, &Record::rmse, plot::Scale::kLog, above.YLabel("RMSE"));
    DrawMedians(records, &Record::nll, plot::Scale::kLinear, below.YLabel("NLL"));
    return figure.ToSvg();
  }
  std::vector<std::string> methods = MethodsOf(records);
  std::erase(methods, "ml");
  const auto values = [&](double TableRow::*number) -> GroupValues {
    return [&rows, number](const std::string& table, const std::string& method) {
      std::vector<double> list;  // over kernels
      for (const TableRow& row : rows) {
        if (row.table == table && row.method == method && std::isfinite(row.*number)) list.push_back(row.*number);
      }
      return list;
    };
  };
  DrawGroups(tables, methods, values(&TableRow::rmse_ratio), plot::Scale::kLog, above);
  above.IncludeY(0.9).IncludeY(1.1).HorizontalLine(1).YLabel("RMSE / that of " + MethodTitle("ml"));
  DrawGroups(tables, methods, values(&TableRow::nll_difference), plot::Scale::kLinear, below);
  LimitDifferences(rows, below);
  below.HorizontalLine(0).YLabel("NLL - that of " + MethodTitle("ml"));
  return figure.ToSvg();
}

}  // namespace

Report TableReport(const std::vector<Record>& records, const ExperimentOptions& options) {
  const std::vector<TableRow> rows = TableRows(records);
  const std::vector<MethodSummary> summaries = SummarizeMethods(rows);
  const std::map<std::string, TableSize> sizes = SizesOf(options);
  Report report;
  report.markdown = SummaryText(summaries) + "\n" + RowsText(rows, sizes) + FailuresText(rows) + SkippedText(options);
  report.json = JsonOf(rows, summaries, sizes, options);
  report.figures = {{"tables.svg", FigureOf(records, rows, HasMl(summaries))}};
  return report;
}

}  // namespace instantgp

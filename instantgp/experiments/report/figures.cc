#include "instantgp/experiments/report/figures.h"

#include "instantgp/experiments/report/grouping.h"
#include "instantgp/experiments/report/statistics.h"

namespace instantgp {
namespace {

constexpr double kGroupWidth = 0.8;  // of the distance between groups

// The x of method k of `count` in group g.
double Place(std::size_t group, std::size_t k, std::size_t count) {
  return static_cast<double>(group) + kGroupWidth * ((static_cast<double>(k) + 0.5) / static_cast<double>(count) - 0.5);
}

}  // namespace

void DrawGroups(const std::vector<std::string>& datasets, const std::vector<std::string>& methods,
                const GroupValues& values, plot::Scale scale, plot::Axes& axes) {
  axes.XCategories(datasets).YScale(scale).XLimits(-0.5, static_cast<double>(datasets.size()) - 0.5);
  const double width = 0.9 * kGroupWidth / static_cast<double>(methods.size());
  for (std::size_t k = 0; k < methods.size(); ++k) {
    std::vector<double> x, middle, lower, upper;
    for (std::size_t g = 0; g < datasets.size(); ++g) {
      const std::vector<double> sample = values(datasets[g], methods[k]);
      if (sample.empty()) continue;
      x.push_back(Place(g, k, methods.size()));
      middle.push_back(Median(sample));
      lower.push_back(Quantile(sample, 0.2));
      upper.push_back(Quantile(sample, 0.8));
    }
    const auto vector = [](const std::vector<double>& v) {
      return Vector(Eigen::Map<const Vector>(v.data(), static_cast<Index>(v.size())));
    };
    const std::string color = MethodColor(methods[k]);
    if (scale == plot::Scale::kLog) {
      axes.ErrorBars(vector(x), vector(lower), vector(upper), {color, 1.2});
      axes.Scatter(vector(x), vector(middle), {color, plot::Marker::kDot, 6}, MethodTitle(methods[k]));
    } else {
      axes.Bars(vector(x), vector(middle), width, {color, 0.85}, MethodTitle(methods[k]));
      axes.ErrorBars(vector(x), vector(lower), vector(upper), {plot::kInk, 1});
    }
  }
}

void DrawMedians(const std::vector<Record>& records, Metric metric, plot::Scale scale, plot::Axes& axes) {
  DrawGroups(
      DatasetsOf(records), MethodsOf(records),
      [&](const std::string& dataset, const std::string& method) { return ValuesOf(records, dataset, method, metric); },
      scale, axes);
}

void DrawRatios(const std::vector<Record>& records, Metric metric, const std::string& reference, plot::Axes& axes) {
  DrawGroups(
      DatasetsOf(records), MethodsOf(records),
      [&](const std::string& dataset, const std::string& method) {
        return RatiosOf(records, dataset, method, reference, metric);
      },
      plot::Scale::kLog, axes);
  axes.HorizontalLine(1);
}

void DrawBoxes(const std::vector<Record>& records, Metric metric, plot::Axes& axes) {
  const std::vector<std::string> datasets = DatasetsOf(records), methods = MethodsOf(records);
  axes.XCategories(datasets).XLimits(-0.5, static_cast<double>(datasets.size()) - 0.5);
  const double width = 0.8 * kGroupWidth / static_cast<double>(methods.size());
  plot::RangeCollector whiskers(plot::Scale::kLinear);
  for (std::size_t k = 0; k < methods.size(); ++k) {
    bool first = true;
    for (std::size_t g = 0; g < datasets.size(); ++g) {
      const std::vector<double> sample = ValuesOf(records, datasets[g], methods[k], metric);
      if (sample.empty()) continue;
      const plot::BoxSummary box = plot::SummarizeBox(sample);
      whiskers.Add(box.low);
      whiskers.Add(box.high);
      axes.Box(Place(g, k, methods.size()), box, width, {MethodColor(methods[k]), 0.6},
               first ? MethodTitle(methods[k]) : "");
      first = false;
    }
  }
  const plot::Limits limits = whiskers.Padded(0.05);
  axes.YLimits(limits.lower, limits.upper);
}

}  // namespace instantgp

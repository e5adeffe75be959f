// Pictures of forecasts: history, median and intervals; below them, where asked for, trend, seasons and rest.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/report/date_axis.h"
#include "apps/cli/report/forecast_report.h"
#include "instantgp/plot/figure.h"

namespace instantgp::cli {
namespace {

constexpr int kMostShown = 600;  // values of the history

Vector ToVector(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

// A colour on white: tints differ in a legend as they do where bands lie on each other, which transparent ones do not.
std::string Tint(const std::string& color, double share) {
  unsigned parts[3] = {};
  std::sscanf(color.c_str(), "#%2x%2x%2x", &parts[0], &parts[1], &parts[2]);
  char text[16];
  for (unsigned& part : parts) part = static_cast<unsigned>(std::lround(255 - share * (255 - part)));
  std::snprintf(text, sizeof text, "#%02x%02x%02x", parts[0], parts[1], parts[2]);
  return text;
}

bool SaysYear(const std::string& tick) {
  return tick.size() >= 4 && std::all_of(tick.end() - 4, tick.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Numbers as they are; dates as steps of their calendar, with round dates for marks.
class TimeAxis {
 public:
  TimeAxis(const ForecastedSeries& one, const std::string& name, int most_ticks) : series_(one.series), label_(name) {
    n_ = static_cast<int>(series_.values.size());
    shown_ = std::max(0, n_ - kMostShown);
    if (!series_.calendar || n_ == 0) return;
    const int last = n_ - 1 + static_cast<int>(one.forecast.steps.size());
    ticks_ = DateTicks(*series_.calendar, shown_, last, most_ticks);
    if (ticks_.empty() || !SaysYear(ticks_.front().second)) label_ += ", from " + series_.TimeText(shown_);
  }

  double At(int place) const { return series_.calendar ? place : series_.first + series_.distance * place; }
  int shown() const { return shown_; }  // the first place in the picture
  int length() const { return n_; }     // of the history
  void Label(plot::Axes& axes) const { axes.XLabel(label_).XTicks(ticks_); }

 private:
  const TimedSeries& series_;
  std::string label_;
  std::vector<std::pair<double, std::string>> ticks_;
  int n_ = 0, shown_ = 0;
};

void DrawForecast(const ForecastLayout& layout, const ForecastedSeries& one, const TimeAxis& time, bool legend,
                  plot::Axes& axes) {
  axes.Title(one.series.key.empty() ? layout.target_name : KeyText(one));
  axes.YLabel(layout.target_name);
  time.Label(axes);
  std::vector<double> x, y, xf, median;
  for (int i = time.shown(); i < time.length(); ++i) {
    x.push_back(time.At(i));
    y.push_back(one.series.values[static_cast<std::size_t>(i)]);
  }
  for (std::size_t h = 0; h < one.forecast.steps.size(); ++h) {
    xf.push_back(time.At(time.length() + static_cast<int>(h)));
    median.push_back(one.forecast.steps[h].median);
  }
  std::vector<std::size_t> widest_first(layout.levels.size());
  std::iota(widest_first.begin(), widest_first.end(), std::size_t{0});
  std::sort(widest_first.begin(), widest_first.end(),
            [&](std::size_t a, std::size_t b) { return layout.levels[a] > layout.levels[b]; });
  double white = 1;
  for (const std::size_t k : widest_first) {
    if (xf.empty()) break;
    white *= 0.82;
    std::vector<double> lower, upper;
    for (const ForecastStep& step : one.forecast.steps) {
      lower.push_back(step.lower[k]);
      upper.push_back(step.upper[k]);
    }
    axes.Band(ToVector(xf), ToVector(lower), ToVector(upper), {Tint(plot::PaletteColor(0), 1 - white), 1},
              legend ? LevelText(layout.levels[k]) + "%" : "");
  }
  axes.Line(ToVector(x), ToVector(y), {plot::kInk, 1.1, false}, legend ? "history" : "");
  if (!xf.empty()) axes.Line(ToVector(xf), ToVector(median), {}, legend ? "median" : "");
  std::vector<double> xa, ya;
  for (const ForecastAnomaly& a : one.forecast.anomalies) {
    if (a.index < time.shown()) continue;
    xa.push_back(time.At(a.index));
    ya.push_back(a.value);
  }
  if (!xa.empty()) {
    axes.Scatter(ToVector(xa), ToVector(ya), {plot::PaletteColor(1), plot::Marker::kRing, 8}, legend ? "anomaly" : "");
  }
}

void DrawComponent(const ForecastLayout& layout, const ForecastedSeries& one, const ForecastComponent& component,
                   const TimeAxis& time, plot::Axes& axes) {
  const bool factor = component.name != "trend" && one.forecast.components_of == TransformKind::kLog;
  axes.Title(component.name).YLabel(factor ? "factor" : layout.target_name);
  time.Label(axes);
  std::vector<double> x, y;
  for (int i = time.shown(); i < static_cast<int>(component.values.size()); ++i) {
    x.push_back(time.At(i));
    y.push_back(component.values[static_cast<std::size_t>(i)]);
  }
  axes.Line(ToVector(x), ToVector(y));
  axes.VerticalLine(time.At(time.length() - 1), {plot::kInk, 0.8, true});
}

}  // namespace

std::string ForecastPlot(const ForecastLayout& layout, const std::vector<ForecastedSeries>& series, bool explain) {
  constexpr std::size_t kMostPanels = 9;
  const int count = static_cast<int>(std::min(series.size(), kMostPanels));
  const std::size_t parts = explain && count == 1 ? series[0].forecast.components.size() : 0;
  const int columns = count <= 1 ? 1 : count <= 4 ? 2 : 3;
  const int rows = std::max(1, (count + columns - 1) / columns) + static_cast<int>(parts);
  const int most_ticks = columns == 1 ? 10 : columns == 2 ? 6 : 4;
  plot::Figure figure(rows, columns);
  for (int p = 0; p < count; ++p) {
    const ForecastedSeries& one = series[static_cast<std::size_t>(p)];
    DrawForecast(layout, one, TimeAxis(one, layout.time_name, most_ticks), p == 0, figure.At(p / columns, p % columns));
  }
  for (std::size_t k = 0; k < parts; ++k) {
    DrawComponent(layout, series[0], series[0].forecast.components[k],
                  TimeAxis(series[0], layout.time_name, most_ticks), figure.At(1 + static_cast<int>(k), 0));
  }
  return figure.ToSvg();
}

}  // namespace instantgp::cli

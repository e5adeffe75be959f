#include "instantgp/forecast/series_choices.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

namespace instantgp {
namespace {

constexpr double kMostSeasonShare = 0.67;       // of a series that a season may last: it must be seen once and a half
constexpr std::size_t kLeastForTransform = 10;  // values; a few points on a log scale promise growth without end
constexpr double kMostValue = 1e305;            // the quantiles of larger ones are no numbers

// The transforms to be averaged, those that apply.
std::vector<SeriesTransform> TransformsFor(TransformChoice choice, const std::vector<double>& values,
                                           std::string& reason) {
  std::vector<TransformKind> kinds;
  const bool zero = std::any_of(values.begin(), values.end(), [](double y) { return y == 0; });
  switch (choice) {
    case TransformChoice::kAuto:
      kinds = {TransformKind::kNone};
      if (values.size() >= kLeastForTransform) kinds.push_back(zero ? TransformKind::kBoxCox : TransformKind::kLog);
      break;
    case TransformChoice::kNone:
      kinds = {TransformKind::kNone};
      break;
    case TransformChoice::kLog:
      kinds = {TransformKind::kLog};
      break;
    case TransformChoice::kBoxCox:
      kinds = {TransformKind::kBoxCox};
      break;
  }
  std::vector<SeriesTransform> transforms;
  for (const TransformKind kind : kinds) {
    if (const std::optional<SeriesTransform> transform = SeriesTransform::Fit(kind, values)) {
      transforms.push_back(*transform);
    }
  }
  if (transforms.empty()) {
    reason = "the transform " + std::string(Name(kinds.front())) + " does not allow the negative value " +
             ShortNumber(*std::min_element(values.begin(), values.end()));
  }
  return transforms;
}

// Seasons the series is long enough for, longest first.
std::vector<double> UsableSeasons(const std::vector<double>& asked, double length, std::vector<std::string>& notes) {
  std::vector<double> usable;
  for (const double period : asked) {
    if (period <= kMostSeasonShare * length) {
      usable.push_back(period);
    } else {
      notes.push_back("the series is too short for a season of " + ShortNumber(period) + " steps");
    }
  }
  std::sort(usable.rbegin(), usable.rend());
  return usable;
}

}  // namespace

std::string ShortNumber(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

SeriesChoices ChooseFor(const std::vector<double>& values, const ForecastOptions& options) {
  SeriesChoices choices;
  choices.series = ObservedSeries::Of(values, options.most_history);
  const ObservedSeries& series = choices.series;
  for (const double y : series.values) {
    if (std::isfinite(y)) continue;
    choices.reason = "the series holds an infinite value";
    return choices;
  }
  if (series.values.size() < 2) {
    choices.reason =
        series.values.empty() ? "the series has no values" : "the series has a single value; at least 2 are needed";
    return choices;
  }
  const auto [least, most] = std::minmax_element(series.values.begin(), series.values.end());
  if (series.left_out > 0) {
    choices.notes.push_back("the oldest " + std::to_string(series.left_out) + " values were left out");
  }
  if (std::max(-*least, *most) > kMostValue) {
    choices.reason = "the series holds the value " + ShortNumber(-*least > *most ? *least : *most) +
                     "; the largest that can be forecast is 1e305";
    return choices;
  }
  // The same, or different by what rounding makes.
  choices.constant = !SeriesTransform::Fit(TransformKind::kNone, series.values);
  if (choices.constant) return choices;
  choices.transforms = TransformsFor(options.transform, series.values, choices.reason);
  if (!choices.reason.empty()) return choices;
  choices.seasons =
      UsableSeasons(options.seasons, static_cast<double>(series.end - series.times.front()), choices.notes);
  return choices;
}

}  // namespace instantgp

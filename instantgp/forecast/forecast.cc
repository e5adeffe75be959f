#include "instantgp/forecast/forecast.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/base/normal.h"
#include "instantgp/forecast/forecast_parts.h"
#include "instantgp/forecast/series_fit.h"

namespace instantgp {
namespace {

constexpr double kMostSeasonShare = 0.67;       // of a series that a season may last: it must be seen once and a half
constexpr std::size_t kLeastForTransform = 10;  // values; a few points on a log scale promise growth without end
constexpr double kMostValue = 1e305;            // the quantiles of larger ones are no numbers
constexpr double kMostHorizon = 100000;

std::string Short(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

Forecasted Failed(std::string reason) {
  Forecasted result;
  result.reason = std::move(reason);
  return result;
}

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
             Short(*std::min_element(values.begin(), values.end()));
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
      notes.push_back("the series is too short for a season of " + Short(period) + " steps");
    }
  }
  std::sort(usable.rbegin(), usable.rend());
  return usable;
}

// A series that never changed says nothing about the size of a change.
Forecasted Constant(double value, const ForecastOptions& options) {
  Forecasted result;
  result.ok = true;
  ForecastStep step{value, value, 0, {}, {}};
  step.lower.assign(options.levels.size(), value);
  step.upper = step.lower;
  result.steps.assign(static_cast<std::size_t>(options.horizon), step);
  result.distributions.assign(static_cast<std::size_t>(options.horizon), ForecastDistribution::At(value));
  result.notes.emplace_back("all values are the same, so that intervals have no width");
  return result;
}

// w_k proportional to exp(evidence_k / T), T = max(sqrt n, 1600/n): evidence says less about the future than about the
// past, and that of a few values hardly anything. On the even-numbered M3 series as good as any T that was tried.
void Weigh(std::vector<SeriesMember>& members, double n) {
  const double temperature = std::max(std::sqrt(n), 1600 / n);
  double best = -std::numeric_limits<double>::infinity(), sum = 0;
  for (const SeriesMember& m : members) best = std::max(best, m.log_evidence);
  for (SeriesMember& m : members) sum += m.weight = std::exp((m.log_evidence - best) / temperature);
  for (SeriesMember& m : members) m.weight /= sum;
  std::stable_sort(members.begin(), members.end(),
                   [](const SeriesMember& a, const SeriesMember& b) { return a.weight > b.weight; });
}

}  // namespace

void ForecastOptions::Validate() const {
  if (horizon < 1 || horizon > kMostHorizon) {
    throw Error(ErrorCode::kUsage, "the horizon must be between 1 and 100000 steps, got " + std::to_string(horizon),
                {{"horizon"}});
  }
  for (const double period : seasons) {
    if (!(period >= 2 && std::isfinite(period))) {
      throw Error(ErrorCode::kUsage, "a season lasts at least 2 steps, got " + Short(period), {{"season"}});
    }
  }
  for (const double level : levels) {
    if (!(level > 0 && level < 100)) {
      throw Error(ErrorCode::kUsage, "a level lies between 0 and 100 percent, got " + Short(level), {{"level"}});
    }
  }
  if (most_history < 2) throw Error(ErrorCode::kUsage, "a forecast needs a history of at least 2 values");
}

Forecasted Forecast(const std::vector<double>& all, const ForecastOptions& options, const std::stop_token& stop) {
  options.Validate();
  ObservedSeries series = ObservedSeries::Of(all, options.most_history);
  for (const double y : series.values) {
    if (!std::isfinite(y)) return Failed("the series holds an infinite value");
  }
  if (series.values.size() < 2) {
    return Failed(series.values.empty() ? "the series has no values"
                                        : "the series has a single value; at least 2 are needed");
  }
  const auto [least, most] = std::minmax_element(series.values.begin(), series.values.end());
  std::vector<std::string> notes;
  if (series.left_out > 0) {
    notes.push_back("the oldest " + std::to_string(series.left_out) + " values were left out");
  }
  if (std::max(-*least, *most) > kMostValue) {
    return Failed("the series holds the value " + Short(-*least > *most ? *least : *most) +
                  "; the largest that can be forecast is 1e305");
  }
  // The same, or different by what rounding makes.
  if (!SeriesTransform::Fit(TransformKind::kNone, series.values)) return Constant(series.values.back(), options);

  std::string reason;
  const std::vector<SeriesTransform> transforms = TransformsFor(options.transform, series.values, reason);
  if (transforms.empty()) return Failed(std::move(reason));
  const std::vector<double> seasons =
      UsableSeasons(options.seasons, static_cast<double>(series.end - series.times.front()), notes);

  std::vector<SeriesMember> members = FitMembers(series, transforms, seasons, options, stop);
  if (stop.stop_requested()) throw Error(ErrorCode::kInterrupted, "interrupted while forecasting");
  if (members.empty()) return Failed("no kernel's covariance could be factorised on this series");
  Weigh(members, static_cast<double>(series.values.size()));

  Forecasted result;
  result.ok = true;
  result.notes = std::move(notes);
  result.seasons = seasons;
  double transformed = 0;
  for (const SeriesMember& m : members) {
    result.members.push_back({m.kernel_text, m.kernel_spoken, m.words, m.transform.kind(), m.weight});
    if (m.transform.kind() != TransformKind::kNone) transformed += m.weight;
  }
  for (const SeriesMember& m : members) {
    const bool is_transformed = m.transform.kind() != TransformKind::kNone;
    if (is_transformed == (transformed > 0.5)) result.transform = m.transform.kind();
  }
  for (int h = 0; h < options.horizon; ++h) {
    std::vector<ForecastDistribution::Component> components;
    components.reserve(members.size());
    for (const SeriesMember& m : members) components.push_back({m.transform, m.mean[h], m.std[h], m.weight});
    result.distributions.emplace_back(std::move(components));
    const ForecastDistribution& distribution = result.distributions.back();
    ForecastStep step;
    step.mean = distribution.Mean();
    step.median = distribution.Median();
    step.std = distribution.Std();
    for (const double level : options.levels) {
      step.lower.push_back(distribution.Quantile(0.5 - level / 200));
      step.upper.push_back(distribution.Quantile(0.5 + level / 200));
    }
    result.steps.push_back(std::move(step));
  }
  if (options.components) AddComponents(series, members.front(), options.horizon, result);
  if (options.anomalies) AddAnomalies(series, members, result);
  return result;
}

}  // namespace instantgp

#include "instantgp/forecast/forecast.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/base/normal.h"
#include "instantgp/forecast/forecast_parts.h"
#include "instantgp/forecast/series_choices.h"
#include "instantgp/forecast/series_fit.h"

namespace instantgp {
namespace {

constexpr double kMostHorizon = 100000;

Forecasted Failed(std::string reason) {
  Forecasted result;
  result.reason = std::move(reason);
  return result;
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
      throw Error(ErrorCode::kUsage, "a season lasts at least 2 steps, got " + ShortNumber(period), {{"season"}});
    }
  }
  for (const double level : levels) {
    if (!(level > 0 && level < 100)) {
      throw Error(ErrorCode::kUsage, "a level lies between 0 and 100 percent, got " + ShortNumber(level), {{"level"}});
    }
  }
  if (most_history < 2) throw Error(ErrorCode::kUsage, "a forecast needs a history of at least 2 values");
}

Forecasted Forecast(const std::vector<double>& all, const ForecastOptions& options, const std::stop_token& stop) {
  options.Validate();
  const SeriesChoices choices = ChooseFor(all, options);
  if (!choices.reason.empty()) return Failed(choices.reason);
  const ObservedSeries& series = choices.series;
  if (choices.constant) return Constant(series.values.back(), options);
  std::vector<SeriesMember> members = FitMembers(series, choices.transforms, choices.seasons, options, stop);
  if (stop.stop_requested()) throw Error(ErrorCode::kInterrupted, "interrupted while forecasting");
  if (members.empty()) return Failed("no kernel's covariance could be factorised on this series");
  Weigh(members, static_cast<double>(series.values.size()));

  Forecasted result;
  result.ok = true;
  result.notes = choices.notes;
  result.seasons = choices.seasons;
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

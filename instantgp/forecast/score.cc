#include "instantgp/forecast/score.h"

#include <algorithm>
#include <cmath>

namespace instantgp {
namespace {

// Mean |y_t - y_{t-m}| over the pairs that are there; 0 when there are none.
double NaiveError(const std::vector<double>& values, int season) {
  double sum = 0;
  int count = 0;
  for (std::size_t t = static_cast<std::size_t>(season); t < values.size(); ++t) {
    const double difference = std::abs(values[t] - values[t - static_cast<std::size_t>(season)]);
    if (std::isnan(difference)) continue;
    sum += difference;
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

// The last value one or more whole seasons before; the last one there is where all of these are missing.
double NaiveForecast(const std::vector<double>& history, int season, int step) {
  const int n = static_cast<int>(history.size());
  for (int t = n + step - season * (step / season + 1); t >= 0; t -= season) {
    if (!std::isnan(history[static_cast<std::size_t>(t)])) return history[static_cast<std::size_t>(t)];
  }
  for (int t = n - 1; t >= 0; --t) {
    if (!std::isnan(history[static_cast<std::size_t>(t)])) return history[static_cast<std::size_t>(t)];
  }
  return 0;
}

int SeasonOf(const ForecastOptions& options, std::size_t length) {
  int season = 1;
  for (const double period : options.seasons) {
    const int rounded = static_cast<int>(std::lround(period));
    if (static_cast<std::size_t>(rounded) < length) season = season == 1 ? rounded : std::min(season, rounded);
  }
  return season;
}

}  // namespace

ForecastScore ScoreForecast(const std::vector<double>& history, int season, const Forecasted& forecast,
                            const std::vector<double>& actual) {
  ForecastScore score;
  const int lag = static_cast<std::size_t>(season) < history.size() ? season : 1;
  double scale = NaiveError(history, lag);
  if (!(scale > 0)) scale = NaiveError(history, 1);
  if (!(scale > 0)) scale = 1;
  const std::size_t steps = std::min(actual.size(), forecast.steps.size());
  for (std::size_t h = 0; h < steps; ++h) {
    const double y = actual[h];
    if (std::isnan(y)) continue;
    ++score.steps;
    const double median = forecast.steps[h].median, error = std::abs(y - median);
    const ForecastDistribution& distribution = forecast.distributions[h];
    const double lower = distribution.Quantile(0.025), upper = distribution.Quantile(0.975);
    score.mase += error / scale;
    const double size = std::abs(y) + std::abs(median);
    score.smape += size > 0 ? 200 * error / size : 0;
    score.scrps += distribution.Crps(y) / scale;
    score.msis += (upper - lower + 40 * std::max(0.0, lower - y) + 40 * std::max(0.0, y - upper)) / scale;
    score.coverage95 += y >= lower && y <= upper ? 100 : 0;
    score.naive_mase += std::abs(y - NaiveForecast(history, lag, static_cast<int>(h))) / scale;
  }
  const double count = std::max(1, score.steps);
  for (double* sum : {&score.mase, &score.smape, &score.scrps, &score.msis, &score.coverage95, &score.naive_mase}) {
    *sum /= count;
  }
  return score;
}

ForecastScore Backtest(const std::vector<double>& values, const ForecastOptions& options, int origins,
                       const std::stop_token& stop) {
  ForecastScore mean;
  const int n = static_cast<int>(values.size()), season = SeasonOf(options, values.size());
  const int least = std::max(2 * season + 2, 8);  // of a history worth learning from
  const int room = n - options.horizon - least;
  if (origins < 1 || room < 0) return mean;
  const int apart = origins > 1 ? std::max(1, std::min(options.horizon, room / (origins - 1))) : 1;
  ForecastOptions each = options;
  each.components = each.anomalies = false;
  int made = 0;
  for (int k = 0; k < origins; ++k) {
    const int end = n - options.horizon - k * apart;
    if (end < least) break;
    const std::vector<double> history(values.begin(), values.begin() + end);
    const std::vector<double> actual(values.begin() + end, values.begin() + end + options.horizon);
    const Forecasted forecast = Forecast(history, each, stop);
    if (!forecast.ok) continue;
    const ForecastScore score = ScoreForecast(history, season, forecast, actual);
    if (score.steps == 0) continue;
    ++made;
    mean.mase += score.mase;
    mean.smape += score.smape;
    mean.scrps += score.scrps;
    mean.msis += score.msis;
    mean.coverage95 += score.coverage95;
    mean.naive_mase += score.naive_mase;
    mean.steps += score.steps;
  }
  for (double* sum : {&mean.mase, &mean.smape, &mean.scrps, &mean.msis, &mean.coverage95, &mean.naive_mase}) {
    *sum /= std::max(1, made);
  }
  return mean;
}

}  // namespace instantgp

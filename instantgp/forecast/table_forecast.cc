#include "instantgp/forecast/table_forecast.h"

#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/base/stopwatch.h"
#include "instantgp/forecast/learn_priors.h"

namespace instantgp {

ForecastedSeries ForecastOf(const SeriesTable& table, std::size_t index, const TableForecastOptions& options,
                            const std::stop_token& stop) {
  const Stopwatch clock;
  ForecastedSeries one;
  one.series = table.Series(index);
  one.anomalies_asked = options.forecast.anomalies;
  ForecastOptions own = options.forecast;
  if (options.seasons_from_calendar) own.seasons = one.series.seasons;
  if (one.series.calendar) own.step_days = one.series.calendar->step().MeanDays();
  if (!one.series.problem.empty()) {
    one.forecast.reason = one.series.problem;
  } else {
    one.forecast = Forecast(one.series.values, own, stop);
    if (options.backtest > 0 && one.forecast.ok)
      one.backtest = Backtest(one.series.values, own, options.backtest, stop);
  }
  one.seasons = one.forecast.ok ? one.forecast.seasons : own.seasons;
  one.ms = clock.Milliseconds();
  return one;
}

ForecastPriors LearnPriorsOf(const SeriesTable& table, const TableForecastOptions& options, int count,
                             std::uint64_t seed, int threads, const std::stop_token& stop) {
  if (table.size() < 2) {
    throw Error(ErrorCode::kUsage,
                "priors are learned from many series, and the table holds one; name the columns that tell series apart",
                {{"by"}});
  }
  std::vector<SeriesToLearnFrom> sample;
  for (const std::size_t place : SampleOfSeries(
           table.size(), [&](std::size_t k) -> const std::vector<std::string>& { return table.Key(k); },
           static_cast<std::size_t>(count), seed)) {
    TimedSeries series = table.Series(place);
    if (!series.problem.empty()) continue;
    if (!options.seasons_from_calendar) series.seasons = options.forecast.seasons;
    sample.push_back({std::move(series.values), std::move(series.seasons)});
  }
  return LearnPriors(sample, options.forecast, threads, stop);
}

}  // namespace instantgp

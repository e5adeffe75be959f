#include "instantgp/forecast/table_forecast.h"

#include "instantgp/base/stopwatch.h"

namespace instantgp {

ForecastedSeries ForecastOf(const SeriesTable& table, std::size_t index, const TableForecastOptions& options,
                            const std::stop_token& stop) {
  const Stopwatch clock;
  ForecastedSeries one;
  one.series = table.Series(index);
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

}  // namespace instantgp

// One series of a table from its rows to its forecast: what the program and the Python package both call.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "instantgp/base/export.h"
#include "instantgp/forecast/forecast.h"
#include "instantgp/forecast/score.h"
#include "instantgp/forecast/series_table.h"

namespace instantgp {

struct INSTANTGP_EXPORT TableForecastOptions {
  ForecastOptions forecast;  // its seasons count where they do not follow from the calendar
  bool seasons_from_calendar = true;
  int backtest = 0;  // origins; 0: none
};

struct INSTANTGP_EXPORT ForecastedSeries {
  TimedSeries series;
  Forecasted forecast;  // not ok: with the reason
  std::vector<double> seasons;
  std::optional<ForecastScore> backtest;
  bool anomalies_asked = false;  // so that none is an answer
  double ms = 0;
};

// May run in parallel. Throws as Forecast does.
INSTANTGP_EXPORT ForecastedSeries ForecastOf(const SeriesTable& table, std::size_t index,
                                             const TableForecastOptions& options, const std::stop_token& stop = {});

// Priors (forecast/learn_priors.h) learned from up to `count` series of the table, chosen by their keys and the seed.
// Error(kUsage) for a table of one series.
INSTANTGP_EXPORT ForecastPriors LearnPriorsOf(const SeriesTable& table, const TableForecastOptions& options, int count,
                                              std::uint64_t seed, int threads = 0, const std::stop_token& stop = {});

}  // namespace instantgp

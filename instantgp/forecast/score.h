// How good a forecast was: the measures of forecasting competitions, averaged over the horizon.
//
//   scale  mean |y_t - y_{t-m}| of the history, m the season: the error of the seasonal naive forecast there
//   MASE   mean |y - median| / scale             sMAPE  mean 200 |y - median| / (|y| + |median|)
//   sCRPS  mean CRPS / scale                     MSIS   mean [(u - l) + 40 (l - y)+ + 40 (y - u)+] / scale, 95 percent
#pragma once

#include <stop_token>
#include <vector>

#include "instantgp/base/export.h"
#include "instantgp/forecast/forecast.h"

namespace instantgp {

struct INSTANTGP_EXPORT ForecastScore {
  double mase = 0, smape = 0, scrps = 0, msis = 0;
  double coverage95 = 0;  // percent
  double naive_mase = 0;  // of the seasonal naive forecast
  int steps = 0;          // values that were there to compare with
};

// `actual` are the values from the first step on; NaN where one is missing. With a history that never changes the scale
// is 1.
INSTANTGP_EXPORT ForecastScore ScoreForecast(const std::vector<double>& history, int season, const Forecasted& forecast,
                                             const std::vector<double>& actual);

// Forecasts from `origins` earlier ends of the series, a horizon apart (or less where it is short), each scored on what
// came. The average over those that could be made; steps = 0: none could, or nothing is left to learn from.
INSTANTGP_EXPORT ForecastScore Backtest(const std::vector<double>& values, const ForecastOptions& options, int origins,
                                        const std::stop_token& stop = {});

}  // namespace instantgp

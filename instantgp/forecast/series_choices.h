// What is decided about a series before anything is fitted: its values, transforms and seasons. Internal to forecast/.
#pragma once

#include <string>
#include <vector>

#include "instantgp/forecast/forecast.h"
#include "instantgp/forecast/series_fit.h"

namespace instantgp {

struct SeriesChoices {
  ObservedSeries series;
  std::vector<SeriesTransform> transforms;  // to be averaged
  std::vector<double> seasons;              // those the series is long enough for, longest first, in steps
  std::vector<std::string> notes;
  std::string reason;     // why it cannot be forecast
  bool constant = false;  // there is nothing to fit

  bool fit() const { return reason.empty() && !constant; }
};

SeriesChoices ChooseFor(const std::vector<double>& values, const ForecastOptions& options);

std::string ShortNumber(double value);

}  // namespace instantgp

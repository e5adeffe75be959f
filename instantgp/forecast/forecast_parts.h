// What a forecast says about the past: its components, and values that do not fit. Internal to forecast/.
#pragma once

#include <vector>

#include "instantgp/forecast/forecast.h"
#include "instantgp/forecast/series_fit.h"

namespace instantgp {

// Trend, seasons and rest of the member with the largest weight.
void AddComponents(const ObservedSeries& series, const SeriesMember& member, int horizon, Forecasted& result);

// Values outside of what the mixture expects of them from all others: |score| > 3.5, of which one in two thousand
// normal values is.
void AddAnomalies(const ObservedSeries& series, const std::vector<SeriesMember>& members, Forecasted& result);

}  // namespace instantgp

// Records as figures in the look of the paper's: grouped bars with percentiles, ratios on a log scale, boxplots.
#pragma once

#include <string>
#include <vector>

#include "instantgp/experiments/run/record.h"
#include "instantgp/plot/axes.h"
#include "instantgp/plot/ticks.h"

namespace instantgp {

// A group for each dataset, a bar for each method: medians, with the 20th and 80th percentile as error bars. On a log
// axis a dot stands for the bar, for a bar's foot would mean nothing.
void DrawMedians(const std::vector<Record>& records, Metric metric, plot::Scale scale, plot::Axes& axes);

// Likewise the ratio to `reference`, on a log axis with a line at 1.
void DrawRatios(const std::vector<Record>& records, Metric metric, const std::string& reference, plot::Axes& axes);

// A group for each dataset, a box for each method. The axis ends at the longest whiskers: outliers beyond are not
// shown, so that one wild value does not flatten the rest.
void DrawBoxes(const std::vector<Record>& records, Metric metric, plot::Axes& axes);

}  // namespace instantgp

// Records as figures in the look of the paper's: grouped bars with percentiles, ratios on a log scale, boxplots.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "instantgp/experiments/run/record.h"
#include "instantgp/plot/axes.h"
#include "instantgp/plot/ticks.h"

namespace instantgp {

// The values behind one place of a grouped figure; none where there is nothing to show.
using GroupValues = std::function<std::vector<double>(const std::string& dataset, const std::string& method)>;

// A group for each dataset, a bar for each method: medians, with the 20th and 80th percentile as error bars. On a log
// axis a dot stands for the bar, for a bar's foot would mean nothing.
void DrawGroups(const std::vector<std::string>& datasets, const std::vector<std::string>& methods,
                const GroupValues& values, plot::Scale scale, plot::Axes& axes);
// Likewise a metric of records.
void DrawMedians(const std::vector<Record>& records, Metric metric, plot::Scale scale, plot::Axes& axes);

// Likewise its ratio to `reference`, on a log axis with a line at 1.
void DrawRatios(const std::vector<Record>& records, Metric metric, const std::string& reference, plot::Axes& axes);

// A group for each dataset, a box for each method. The axis ends at the longest whiskers: outliers beyond are not
// shown, so that one wild value does not flatten the rest.
void DrawBoxes(const std::vector<Record>& records, Metric metric, plot::Axes& axes);

}  // namespace instantgp

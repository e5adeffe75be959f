// Dates along the x axis of a plot.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "instantgp/data/calendar.h"
#include "instantgp/data/recipe.h"
#include "instantgp/plot/axes.h"

namespace instantgp::cli {

// Round dates (1 January, the first of a quarter or month, midnight, ...) between two places on a calendar, at most so
// many, each with its place and what to write there.
std::vector<std::pair<double, std::string>> DateTicks(const Calendar& calendar, double low, double high, int most);

// Labels the axes: the input's name, and dates where the input (may be of no recipe, null) is one.
void LabelX(plot::Axes& axes, const Recipe* recipe, const std::vector<std::string>& names, int input, double low,
            double high, int most);

}  // namespace instantgp::cli

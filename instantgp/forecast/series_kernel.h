// The kernels a forecast is averaged over, with what is known about their parameters before a series is seen.
//
// Time is measured in units of the longest season (a year for months, quarters and days over years; a week for hours
// over weeks), and of a tenth of the series (at least a step) where there is none, so that one set of priors serves all
// series with seasons and one all without. Every parameter is log-normal: log theta ~ N(mean, std^2).
#pragma once

#include <string>
#include <vector>

#include "instantgp/forecast/priors.h"
#include "instantgp/kernel/expression.h"
#include "instantgp/kernel/fixed.h"

namespace instantgp {

// What moves the level.
enum class Level { kCurve, kTwoScales, kWalk, kDamped };

struct SeriesKernel {
  Expression expression;               // canonical, on column 0: time in units
  std::vector<LogNormalPrior> priors;  // of every row of LogParameters, the noise last
  std::vector<std::string> names;      // of the priors: "walk.seasons.WIE.variance"
  FixedRows fixed;                     // periods, in units
};

// `seasons` in units of time, longest first: 1 and shorter ones. Priors that were learned go before those of the
// library.
SeriesKernel MakeSeriesKernel(Level level, const std::vector<double>& seasons, const ForecastPriors& learned = {});

// Any kernel of one column, with the same priors: those for series with seasons, or without. Of the variances
// of a product all but the last are fixed at 1.
SeriesKernel SeriesKernelOf(const std::string& text, bool seasons = true);

// Steps in a unit of time.
double UnitOf(const std::vector<double>& seasons, int length);

std::vector<Level> AllLevels();
std::vector<Level> FastLevels();

}  // namespace instantgp

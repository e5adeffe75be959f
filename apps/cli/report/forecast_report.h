// Forecasts as CSV, JSON, text and a picture.
#pragma once

#include <string>
#include <vector>

#include "apps/cli/options/common.h"
#include "instantgp/forecast/table_forecast.h"

namespace instantgp::cli {

struct ForecastLayout {
  std::vector<std::string> by_names;
  std::string time_name, target_name;
  std::vector<double> levels;
};

// "shop,month,mean,median,std,lower80,upper80,lower95,upper95"; with keys also "reason".
std::string ForecastHeader(const ForecastLayout& layout);
// One line per step; of a series without a forecast one line with the reason.
std::string ForecastRows(const ForecastLayout& layout, const ForecastedSeries& one);

Json ForecastJson(const ForecastLayout& layout, const ForecastedSeries& one);
// What a person wants to know about one series.
std::string ForecastText(const ForecastLayout& layout, const ForecastedSeries& one, bool explain);
// History, median, intervals, anomalies; an SVG. Up to nine series; of a single one with its components below.
std::string ForecastPlot(const ForecastLayout& layout, const std::vector<ForecastedSeries>& series, bool explain);

// The values of its columns `by`: "Aachen, bread"
std::string KeyText(const ForecastedSeries& one);
// "80", "99.5"
std::string LevelText(double level);

}  // namespace instantgp::cli

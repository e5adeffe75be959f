// From a series to fitted members of the mixture.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/forecast/forecast.h"
#include "instantgp/forecast/series_kernel.h"
#include "instantgp/gp/posterior.h"

namespace instantgp {

// The values that are there.
struct ObservedSeries {
  std::vector<int> times;  // places in the series, ascending
  std::vector<double> values;
  int end = 0;  // the length of the series: the place of the first step to forecast
  int left_out = 0;

  static ObservedSeries Of(const std::vector<double>& all, int most_history);
};

struct SeriesMember {
  SeriesTransform transform;
  std::string kernel_text, kernel_spoken;
  std::string words;        // with components
  double log_evidence = 0;  // of the values, with the priors at the parameters found
  double weight = 0;
  Vector mean, std;  // (horizon) of the transformed values, with noise
  std::optional<Posterior> posterior;
  double unit = 1;  // steps in a unit of time
};

// All that could be fitted. Posteriors are kept where components or anomalies are asked for.
std::vector<SeriesMember> FitMembers(const ObservedSeries& series, const std::vector<SeriesTransform>& transforms,
                                     const std::vector<double>& seasons, const ForecastOptions& options,
                                     const std::stop_token& stop);

// What the fits of a series say about their parameters, to learn priors from: of every level and transform, those that
// are not fixed.
struct ParameterAnswer {
  std::string name;  // of its prior
  LogNormalPrior prior;
  double log_value = 0, variance = 0;  // of the logarithm, by the curvature of the posterior density
};
std::vector<ParameterAnswer> FitParameters(const ObservedSeries& series, const std::vector<SeriesTransform>& transforms,
                                           const std::vector<double>& seasons, const ForecastOptions& options,
                                           const std::stop_token& stop);

}  // namespace instantgp

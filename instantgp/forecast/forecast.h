// Forecasts of a series: a few exact Gaussian processes, averaged.
//
//   const Forecasted next = Forecast({120, 131, ...}, {.horizon = 12, .seasons = {12}});
//   next.steps[0].median, next.steps[0].lower[1], ...
//
// The calendar knows the seasons, so their periods are given, not looked for. Each kernel (series_kernel.h) is fitted
// to the series as it is and to its transform by a few steps up the posterior density of its parameters, whose priors
// are in units of the longest season. The fits are mixed with weights proportional to a root of their evidence, the
// transform's Jacobian included: what predicts the past best is not by as much better at the future.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "instantgp/base/export.h"
#include "instantgp/forecast/distribution.h"
#include "instantgp/forecast/priors.h"

namespace instantgp {

struct INSTANTGP_EXPORT ForecastOptions {
  int horizon = 1;
  std::vector<double> seasons = {};       // periods in steps, for example {12}, or {7, 365.25}; empty: none
  std::vector<double> levels = {80, 95};  // of the intervals, in percent
  TransformChoice transform = TransformChoice::kAuto;
  bool fast = false;           // two fits instead of eight
  bool components = false;     // fill Forecasted::components
  bool anomalies = false;      // fill Forecasted::anomalies
  double step_days = 0;        // how long a step lasts, for ForecastMember's words; 0: lengths are counted in steps
  int most_history = 1000;     // older values are left out; the cost grows with the third power
  ForecastPriors priors = {};  // learned from other series (learn_priors.h), in place of the library's

  void Validate() const;  // Error(kUsage)
};

struct INSTANTGP_EXPORT ForecastStep {
  double mean = 0, median = 0, std = 0;
  std::vector<double> lower, upper;  // for each level
};

struct INSTANTGP_EXPORT ForecastMember {
  std::string kernel;         // in steps: "LIN + WIE + SE*PER(period=12)"
  std::string kernel_spoken;  // in time where a step has a length: "LIN + WIE + SE*PER(period=12 months)"
  std::string words;  // with components: "a straight line, a random walk, a yearly season that changes over 5 years"
  TransformKind transform = TransformKind::kNone;
  double weight = 0;
};

// An addend of the member with the largest weight, over the history and the horizon. Of the series as it is: values to
// be added, the level's including the mean. Of its logarithm: factors.
struct INSTANTGP_EXPORT ForecastComponent {
  std::string name;  // "trend", "season 12", "rest"
  std::vector<double> values;
};

struct INSTANTGP_EXPORT ForecastAnomaly {
  int index = 0;  // in the series
  double value = 0, expected = 0, lower95 = 0, upper95 = 0;
  double score = 0;  // in standard deviations, of what all other values say
};

struct INSTANTGP_EXPORT Forecasted {
  bool ok = false;
  std::string reason;  // when not ok
  std::vector<ForecastStep> steps;
  std::vector<ForecastDistribution> distributions;  // of the same steps
  std::vector<ForecastMember> members;              // by weight, largest first
  TransformKind transform = TransformKind::kNone;   // with the most weight
  std::vector<double> seasons;                      // those in use
  std::vector<ForecastComponent> components;
  TransformKind components_of = TransformKind::kNone;
  std::vector<ForecastAnomaly> anomalies;
  std::vector<std::string> notes;  // what was left out, and why
};

// `values` are one step apart; NaN where one is missing. What cannot be forecast comes back with a reason; throws
// Error(kUsage) for options that make no sense and kInterrupted when a stop was requested. Runs on one thread.
INSTANTGP_EXPORT Forecasted Forecast(const std::vector<double>& values, const ForecastOptions& options,
                                     const std::stop_token& stop = {});

}  // namespace instantgp

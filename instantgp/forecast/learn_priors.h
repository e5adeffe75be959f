// Priors learned from many series of one kind, in place of the library's own.
//
// Empirical Bayes: every series is fitted, and a prior moves to the mean and the spread of what was found, the
// uncertainty of each answer included (expectation maximisation with Laplace's approximation); a few rounds of that.
// The library's priors count as some series among them, so that a handful of series changes little.
//
// What explains the past best need not forecast best: of the even-numbered monthly and quarterly series of M3 the
// library's own priors do better by half a percent to one (MASE) than those learned this way from the same series. So
// the last steps of every series are held out, and their forecasts decide whether to go the whole way, half of it, or
// none.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "instantgp/base/export.h"
#include "instantgp/forecast/forecast.h"

namespace instantgp {

struct INSTANTGP_EXPORT SeriesToLearnFrom {
  std::vector<double> values;   // one step apart; NaN where one is missing
  std::vector<double> seasons;  // in steps
};

// For forecasts with these options, whose seasons and priors are not looked at; a horizon is held out, six values at
// least, or a quarter of a series where that is less. What cannot be forecast is left out. Nothing but learning() is in
// what comes back where the library's priors forecast best. The same for any number of threads; 0: all cores. Throws
// Error(kInterrupted) when a stop was requested.
INSTANTGP_EXPORT ForecastPriors LearnPriors(const std::vector<SeriesToLearnFrom>& series,
                                            const ForecastOptions& options, int threads = 0,
                                            const std::stop_token& stop = {});

// Which of `size` series to learn from: up to `count` places, in an order that the keys and the seed decide, and not
// the order of a table, so that every part of a cluster takes the same.
INSTANTGP_EXPORT std::vector<std::size_t> SampleOfSeries(
    std::size_t size, const std::function<const std::vector<std::string>&(std::size_t)>& key, std::size_t count,
    std::uint64_t seed);

}  // namespace instantgp

// Session's fit by the method neighbours.
#include <cmath>
#include <cstdio>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/base/stopwatch.h"
#include "instantgp/gp/neighbour_posterior.h"
#include "instantgp/inference/neighbours.h"
#include "instantgp/kernel/fixed.h"
#include "instantgp/model/session.h"

namespace instantgp {
namespace {

std::string WhatWasGivenUp(int n, int neighbours, const FitCost& exact, double memory_limit) {
  char price[64];
  if (exact.bytes > memory_limit) {
    std::snprintf(price, sizeof price, "need %.1f GiB", exact.bytes / std::pow(2.0, 30));
  } else {
    std::snprintf(price, sizeof price, "take about %.0f s", exact.seconds);
  }
  return std::to_string(n) + " rows: every prediction comes from its " + std::to_string(neighbours) +
         " nearest rows instead of all (an exact posterior would " + price +
         "); given up are the likelihood of all rows, averaging over parameters and a mean without small jumps. The "
         "option exact asks for the exact posterior";
}

std::string HowItWasFound(const NeighbourFit& fit) {
  std::string text = std::to_string(fit.readings) + " readings, the best out of ";
  text += fit.zoom == 1 ? "random rows" : "the nearest 1/" + std::to_string(fit.zoom) + " of the rows";
  return text + (fit.refined ? ", every parameter tuned" : ", three numbers tuned");
}

}  // namespace

Model Session::FitNeighbours(ScaledTable table, const Expression& expression, const Structure& structure,
                             const FitOptions& options, bool instead_of_exact, const Stopwatch& total) {
  const int n = table.rows();
  const FitCost cost = EstimateNeighboursCost(n, table.columns());
  if (cost.bytes > options_.memory_limit) {
    throw Error(ErrorCode::kLimit, "a fit by neighbours of " + std::to_string(n) + " rows needs about " +
                                       std::to_string(static_cast<long>(cost.bytes / (1 << 20))) +
                                       " MiB; the limit is " +
                                       std::to_string(static_cast<long>(options_.memory_limit / (1 << 20))) +
                                       " MiB. Fit a random subset of the rows.");
  }
  NeighbourOptions neighbours;
  neighbours.neighbours = options.neighbours;
  neighbours.refine = options.every_lengthscale;
  neighbours.seed = options.seed;
  neighbours.fixed = FixedRowsOf(expression, table.scaler.x_range, table.scaler.y_std);
  neighbours.pool = &pool();
  neighbours.stop = options_.stop;
  neighbours.progress = options.progress;
  NeighbourFit fit = instantgp::FitNeighbours(network(options.method), expression, structure, std::move(table.X),
                                              std::move(table.y), neighbours);
  FitSummary summary;
  summary.method = Name(Method::kNeighbours);
  summary.evaluations = fit.evaluations;
  summary.steps = fit.steps;
  summary.starts = fit.readings;
  summary.stop_reason = HowItWasFound(fit);
  summary.nlml_start = fit.nll_start;
  summary.nlml = fit.nll;
  TimeSplit& times = summary.time_ms;
  times.scale = table.scale_ms + fit.tree_ms;
  times.encode = fit.read_ms;
  times.optimize = fit.tune_ms;
  times.factorize = fit.calibrate_ms;
  times.total = total.Milliseconds();
  std::vector<std::string> warnings = std::move(table.warnings);
  if (instead_of_exact) {
    warnings.push_back(
        WhatWasGivenUp(n, fit.posterior.rule().count, EstimateCost(n, FitOptions()), options_.memory_limit));
  }
  if (fit.posterior.rule().eps > 0) {
    char text[128];
    std::snprintf(text, sizeof text, "the search for nearest rows is approximate: it finds %.1f percent of them",
                  100 * fit.recall);
    warnings.emplace_back(text);
  }
  return Model(std::move(fit.posterior), std::move(table.scaler), std::move(table.column_names),
               std::move(table.target_name), std::move(summary), std::move(warnings));
}

}  // namespace instantgp

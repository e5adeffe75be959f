#include "instantgp/forecast/series_words.h"

#include <cmath>
#include <cstdio>
#include <vector>

#include "instantgp/data/time_length.h"
#include "instantgp/kernel/parameters.h"

namespace instantgp {
namespace {

std::string Steps(double count) {
  char text[48];
  std::snprintf(text, sizeof text, "%.3g steps", count);
  return text;
}

}  // namespace

std::string SeriesWords(const Expression& kernel, const LogParameters& theta, double unit, double step_days) {
  const auto length = [&](double log_units) {
    const double steps = std::exp(log_units) * unit;
    return step_days > 0 ? TimeLengthText(steps * step_days) : Steps(steps);
  };
  const auto season = [&](double log_units) {
    const double steps = std::exp(log_units) * unit;
    return step_days > 0 ? "a " + PeriodWords(steps * step_days) + " season" : "a season of " + Steps(steps);
  };
  const auto repeated = [&](double log_units) {  // of a longer season whose parts are shorter ones
    const double steps = std::exp(log_units) * unit;
    return " whose shape repeats " + (step_days > 0 ? PeriodWords(steps * step_days) : "every " + Steps(steps));
  };
  std::string text;
  Index row = 0;
  const std::vector<Expression> addends = kernel.op == Expression::Op::kSum ? kernel.terms : std::vector{kernel};
  for (const Expression& addend : addends) {
    const std::vector<Expression> factors = addend.op == Expression::Op::kProduct ? addend.terms : std::vector{addend};
    std::string words, seasonal, changing;
    for (const Expression& leaf : factors) {
      switch (leaf.symbol) {
        case Elementary::kLIN:
          words = "a straight line";
          break;
        case Elementary::kBIAS:
          words = "a constant level";
          break;
        case Elementary::kWIE:
          words = "a random walk";
          break;
        case Elementary::kIOU:
          words = "a local trend that fades over " + length(theta[row + 1]);
          break;
        case Elementary::kMAT12:
          words = "deviations that fade over " + length(theta[row + 1]);
          break;
        case Elementary::kSE:
          words = "a smooth curve over " + length(theta[row + 1]);
          changing = " that changes over " + length(theta[row + 1]);
          break;
        case Elementary::kMAT52:
          words = "a rougher curve over " + length(theta[row + 1]);
          break;
        case Elementary::kPER:
          seasonal += seasonal.empty() ? season(theta[row + 2]) : repeated(theta[row + 2]);
          break;
      }
      row += static_cast<Index>(ParametersOf(leaf.symbol).size());
    }
    if (!seasonal.empty()) words = seasonal + changing;  // a season, and how fast its factor lets it change
    text += (text.empty() ? "" : ", ") + words;
  }
  return text;
}

}  // namespace instantgp

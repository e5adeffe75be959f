#include "instantgp/forecast/series_kernel.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "instantgp/base/check.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/kernel/parse.h"

namespace instantgp {
namespace {

// Standardised values, time in units of the longest season.
LogNormalPrior PriorFor(const Parameter& parameter) {
  const bool seasonal = parameter.symbol.find("PER") != std::string::npos;
  switch (parameter.kind) {
    case ParameterKind::kVariance:
    case ParameterKind::kOffset:
      return {-1.5, 1};
    case ParameterKind::kLengthscale:
      if (parameter.elementary == Elementary::kPER) return {0.2 - std::log(2.0), 1};
      return seasonal ? LogNormalPrior{2, 1} : LogNormalPrior{1.1, 1};
    case ParameterKind::kPeriod:
      return {0, 1};
  }
  INSTANTGP_CHECK(false);
  return {};
}

std::string Digits(double value) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

std::string TextOf(Level level, const std::vector<double>& seasons) {
  std::string text, season;
  switch (level) {
    case Level::kSmooth:
      text = "LIN + SE";
      break;
    case Level::kRough:
      text = "LIN + MAT52";
      break;
    case Level::kWalk:
      text = "LIN + WIE";
      season = "SE*";
      break;
    case Level::kDamped:
      text = "BIAS + IOU + MAT12";
      season = "SE*";
      break;
  }
  for (const double period : seasons) text += " + " + season + "PER(period=" + Digits(period) + ")";
  return text;
}

}  // namespace

SeriesKernel SeriesKernelOf(const std::string& text) {
  SeriesKernel kernel;
  kernel.expression = ParseKernel(text, {"t"});
  kernel.fixed = FixedRowsOf(kernel.expression, Vector::Ones(1), 1);
  for (const Parameter& parameter : ParameterTable(kernel.expression)) kernel.priors.push_back(PriorFor(parameter));
  kernel.priors.push_back({-1.5, 1});
  // A fixed parameter makes a factor's share in a product unique; the other variance of a product is fixed at 1.
  const ParameterTable table(kernel.expression);
  for (std::size_t row = 0; row < table.size(); ++row) {
    const bool redundant = table[row].kind == ParameterKind::kVariance && table[row].symbol == "SE*PER" &&
                           table[row].elementary == Elementary::kSE;
    if (!redundant) continue;
    kernel.fixed.rows.push_back(static_cast<Index>(row));
    kernel.fixed.log_values.push_back(0);
  }
  return kernel;
}

SeriesKernel MakeSeriesKernel(Level level, const std::vector<double>& seasons) {
  return SeriesKernelOf(TextOf(level, seasons));
}

std::vector<Level> FastLevels() { return {Level::kWalk}; }

std::vector<Level> AllLevels() { return {Level::kSmooth, Level::kRough, Level::kWalk, Level::kDamped}; }

}  // namespace instantgp

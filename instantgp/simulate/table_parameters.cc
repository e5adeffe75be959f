#include "instantgp/simulate/table_parameters.h"

#include <algorithm>
#include <cmath>

#include "instantgp/kernel/parameters.h"

namespace instantgp {
namespace {

constexpr double kShortestLine = 0.5;
constexpr double kSwitchedOffP = 0.3;
constexpr double kMostSwitchedOff = 6;  // as a logarithm

double LogUniform(double lower, double upper, RandomStream& random) {
  return std::exp(random.Uniform(std::log(lower), std::log(upper)));
}

// The columns that matter: a number of them drawn uniformly, then which.
std::vector<bool> DrawMatters(int d, RandomStream& random) {
  std::vector<bool> matters(d, false);
  const int most = d - 1;
  int irrelevant = static_cast<int>(random.Uniform() * (most + 1));
  irrelevant = std::min(irrelevant, most);
  std::vector<int> order(d);
  for (int k = 0; k < d; ++k) order[k] = k;
  for (int k = 0; k + 1 < d; ++k) std::swap(order[k], order[random.UniformInt(k, d - 1)]);
  for (int k = irrelevant; k < d; ++k) matters[order[k]] = true;
  return matters;
}

// An addend that hardly matters beside the others of its column, as a logarithm to add to its variance.
std::vector<double> DrawSwitchedOff(int addends, RandomStream& random) {
  std::vector<double> change(addends, 0.0);
  if (addends == 1) return change;
  const int kept = random.UniformInt(0, addends - 1);
  for (int a = 0; a < addends; ++a) {
    const bool off = random.Bernoulli(kSwitchedOffP);
    const double by = random.Uniform(0, kMostSwitchedOff);
    if (off && a != kept) change[a] = -by;
  }
  return change;
}

void SetFactor(const Factor& factor, double log_length, bool flat, double log_shorter, RandomStream& random,
               LogParameters& theta) {
  switch (factor.elementary) {
    case Elementary::kSE:
    case Elementary::kMAT52:
      theta[factor.Row(ParameterKind::kLengthscale)] = log_length;
      break;
    case Elementary::kLIN:
      theta[factor.Row(ParameterKind::kVariance)] =
          theta[factor.Row(ParameterKind::kOffset)] - 2 * std::max(log_length, std::log(kShortestLine));
      break;
    case Elementary::kPER:
      theta[factor.Row(ParameterKind::kLengthscale)] = flat ? log_length : std::log(LogUniform(0.15, 2, random));
      theta[factor.Row(ParameterKind::kPeriod)] += log_shorter;
      break;
    case Elementary::kMAT12:
    case Elementary::kWIE:
    case Elementary::kIOU:
    case Elementary::kBIAS:
      break;  // in no structure
  }
}

// An addend's overall size sits in the first factor, as in ScaleKernel.
void AddToSize(const Addend& addend, double change, LogParameters& theta) {
  const Factor& first = addend.factors[0];
  theta[first.Row(ParameterKind::kVariance)] += change;
  if (first.elementary == Elementary::kLIN) theta[first.Row(ParameterKind::kOffset)] += change;
}

}  // namespace

TableSmoothness DrawSmoothness(int d, double nearly_linear_p, RandomStream& random) {
  TableSmoothness out;
  out.nearly_linear = random.Bernoulli(nearly_linear_p);
  out.length.resize(d);
  if (out.nearly_linear) {
    out.matters.assign(d, true);
    for (double& length : out.length) length = LogUniform(5, 60, random);
    return out;
  }
  out.matters = DrawMatters(d, random);
  const auto relevant = static_cast<double>(std::count(out.matters.begin(), out.matters.end(), true));
  // Without the root most tables with many columns would be white noise to any method.
  const double typical = LogUniform(0.1 * std::sqrt(relevant), 5, random);
  const double spread = random.Uniform(0.1, 0.9);
  for (int k = 0; k < d; ++k) {
    const double around = typical * std::exp(spread * random.Normal());
    out.length[k] = out.matters[k] ? std::clamp(around, 0.02, 8.0) : LogUniform(10, 100, random);
  }
  return out;
}

LogParameters DrawTableParameters(const Structure& structure, const TableSmoothness& smoothness, RandomStream& random) {
  LogParameters theta = DrawFromPrior(ParameterTable(ToExpression(structure)), random);
  const std::vector<Addend> addends = AddendsOf(structure);
  std::size_t next = 0;
  for (std::size_t i = 0; i < structure.columns.size(); ++i) {
    const int column = structure.columns[i];
    const bool flat = smoothness.nearly_linear || !smoothness.matters[column];
    const double log_shorter = random.Bernoulli(0.5) ? -random.Uniform(0, std::log(10.0)) : 0;
    const auto count = structure.symbols[i].size();
    const std::vector<double> switched_off = DrawSwitchedOff(static_cast<int>(count), random);
    for (std::size_t a = 0; a < count; ++a, ++next) {
      double log_length = std::log(smoothness.length[column]);
      if (!flat && count > 1) log_length += 0.5 * random.Normal();
      for (const Factor& factor : addends[next].factors) {
        SetFactor(factor, log_length, flat, log_shorter, random, theta);
      }
      AddToSize(addends[next], switched_off[a], theta);
    }
  }
  return theta;
}

}  // namespace instantgp

#include "instantgp/kernel/units.h"

#include <cmath>
#include <map>

#include "instantgp/base/check.h"
#include "instantgp/base/representable.h"
#include "instantgp/kernel/parameters.h"

namespace instantgp {
namespace {

using Op = Expression::Op;

void CollectShares(const Expression& e, double share, std::vector<double>& shares) {
  if (e.op == Op::kLeaf) {
    shares.push_back(share);
    return;
  }
  if (e.op == Op::kSum) {
    for (const Expression& term : e.terms) CollectShares(term, share, shares);
    return;
  }
  // A factor that spans several columns (outside the family) counts for its smallest one.
  std::map<int, int> seen;
  for (const Expression& term : e.terms) ++seen[ColumnsOf(term).front()];
  const double part = share / static_cast<double>(seen.size());
  for (auto& [column, count] : seen) count = 0;
  for (const Expression& term : e.terms) {
    const bool first = seen[ColumnsOf(term).front()]++ == 0;
    CollectShares(term, first ? part : 0.0, shares);
  }
}

// The leaves one after another, each with the position of its first parameter.
template <typename Visitor>
void ForEachLeaf(const Expression& e, Index& position, const Visitor& visit) {
  if (e.op == Op::kLeaf) {
    visit(e, position);
    position += static_cast<Index>(ParametersOf(e.symbol).size());
  }
  for (const Expression& term : e.terms) ForEachLeaf(term, position, visit);
}

// k(x, x) of one leaf at x = 1/2.
double LeafAtCentre(Elementary symbol, const double* parameters) {
  switch (symbol) {
    case Elementary::kLIN:
      return parameters[0] / 4 + parameters[1];
    case Elementary::kWIE:
      return parameters[0] / 2;
    case Elementary::kIOU: {
      const double s = 0.5 / parameters[1];
      // 2 v l^2 (s - 1 + exp(-s)), whose leading terms cancel for long lengthscales: v / 4 there
      return s < 1e-4 ? parameters[0] / 4 * (1 - s / 3)
                      : 2 * parameters[0] * parameters[1] * parameters[1] * (s + std::expm1(-s));
    }
    default:
      return parameters[0];
  }
}

double AtCentre(const Expression& e, const Vector& parameters, Index& position) {
  if (e.op == Op::kLeaf) {
    const double value = LeafAtCentre(e.symbol, parameters.data() + position);
    position += static_cast<Index>(ParametersOf(e.symbol).size());
    return value;
  }
  double value = e.op == Op::kSum ? 0.0 : 1.0;
  for (const Expression& term : e.terms) {
    const double part = AtCentre(term, parameters, position);
    value = e.op == Op::kSum ? value + part : value * part;
  }
  return value;
}

}  // namespace

std::vector<double> AmplitudeShares(const Expression& expression) {
  std::vector<double> shares;
  CollectShares(expression, 1.0, shares);
  return shares;
}

Vector InOriginalUnits(const Expression& expression, const Vector& parameters, const Vector& ranges, double y_scale) {
  const std::vector<double> shares = AmplitudeShares(expression);
  Vector original = parameters;
  Index position = 0;
  std::size_t leaf = 0;
  ForEachLeaf(expression, position, [&](const Expression& e, Index first) {
    INSTANTGP_CHECK(e.column >= 0 && e.column < ranges.size());
    const auto kinds = ParametersOf(e.symbol);
    INSTANTGP_CHECK(first + static_cast<Index>(kinds.size()) <= parameters.size());
    const double range = ranges[e.column];
    const double share = shares[leaf++], amplitude = std::pow(y_scale, 2 * share);
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      double& value = original[first + static_cast<Index>(i)];
      switch (kinds[i]) {
        case ParameterKind::kVariance: {
          const double power = e.symbol == Elementary::kLIN || e.symbol == Elementary::kIOU ? 2
                               : e.symbol == Elementary::kWIE                               ? 1
                                                                                            : 0;
          // Squares of what is beyond 1e154 are no doubles; their logarithms are.
          const double log_value = std::log(value) + 2 * share * std::log(y_scale) - power * std::log(range);
          value *= amplitude;
          if (power == 2) value /= range * range;
          if (power == 1) value /= range;
          if (!std::isfinite(value) || value == 0) value = std::exp(log_value);
          break;
        }
        case ParameterKind::kOffset:
          value *= amplitude;
          break;
        case ParameterKind::kLengthscale:
          // PER measures its lengthscale on the sine, which has no unit.
          if (e.symbol != Elementary::kPER) value *= range;
          break;
        case ParameterKind::kPeriod:
          value *= range;
          break;
      }
    }
  });
  return original.unaryExpr([](double value) { return Representable(value); });
}

double CollapsedAmplitude(const Expression& expression, const Vector& parameters) {
  INSTANTGP_CHECK(parameters.size() >= NumParameters(expression));
  Index position = 0;
  return AtCentre(expression, parameters, position);
}

}  // namespace instantgp

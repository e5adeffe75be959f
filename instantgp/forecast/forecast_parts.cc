#include "instantgp/forecast/forecast_parts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/base/normal.h"
#include "instantgp/kernel/parameters.h"

namespace instantgp {
namespace {

constexpr double kAnomalyScore = 3.5;

bool Has(const Expression& e, Elementary symbol) {
  if (e.op == Expression::Op::kLeaf) return e.symbol == symbol;
  for (const Expression& term : e.terms) {
    if (Has(term, symbol)) return true;
  }
  return false;
}

// The longest: days that repeat every week are the week's season.
double PeriodOf(const Expression& e) {
  double longest = 0;
  for (const FixedParameter& fixed : e.fixed) {
    if (fixed.kind == ParameterKind::kPeriod) longest = std::max(longest, fixed.value);
  }
  for (const Expression& term : e.terms) longest = std::max(longest, PeriodOf(term));
  return longest;
}

std::string NameOf(const Expression& addend, double unit) {
  if (Has(addend, Elementary::kPER)) {
    char text[48];
    std::snprintf(text, sizeof text, "season %.6g", PeriodOf(addend) * unit);
    return text;
  }
  return Has(addend, Elementary::kMAT12) ? "rest" : "trend";
}

}  // namespace

void AddComponents(const ObservedSeries& series, const SeriesMember& member, int horizon, Forecasted& result) {
  INSTANTGP_CHECK(member.posterior.has_value());
  const Posterior& posterior = *member.posterior;
  const Expression& kernel = posterior.expression();
  const int first = series.times.front(), length = series.end - first + horizon;
  Matrix X(length, 1);
  for (int i = 0; i < length; ++i) X(i, 0) = i / member.unit;

  const std::vector<Expression> addends = kernel.op == Expression::Op::kSum ? kernel.terms : std::vector{kernel};
  std::map<std::string, Vector> sums;
  std::vector<std::string> order = {"trend"};
  sums["trend"] = Vector::Zero(length);
  Index row = 0;
  for (const Expression& addend : addends) {
    const Index count = NumParameters(addend);
    Vector mean;
    posterior.PartMeanAndStd(Covariance(addend), posterior.theta().segment(row, count), X, &mean, nullptr);
    row += count;
    const std::string name = NameOf(addend, member.unit);
    const auto [found, fresh] = sums.emplace(name, Vector::Zero(length));
    if (fresh) order.push_back(name);
    found->second += mean;
  }
  // Standardised parts: of z = (g(y) - centre) / scale. The trend takes the centre.
  const SeriesTransform& transform = member.transform;
  result.components_of = transform.kind();
  for (const std::string& name : order) {
    ForecastComponent component{name, std::vector<double>(static_cast<std::size_t>(series.end + horizon), NAN)};
    for (int i = 0; i < length; ++i) {
      const double z = sums[name][i];
      double& value = component.values[static_cast<std::size_t>(first) + static_cast<std::size_t>(i)];
      if (name == "trend") {
        value = transform.Inverse(z);
      } else if (transform.kind() == TransformKind::kLog) {
        value = transform.FactorOf(z);
      } else {
        // what it adds to the trend there
        const double trend = sums["trend"][i];
        value = transform.Inverse(trend + z) - transform.Inverse(trend);
      }
    }
    result.components.push_back(std::move(component));
  }
}

void AddAnomalies(const ObservedSeries& series, const std::vector<SeriesMember>& members, Forecasted& result) {
  std::vector<LeaveOneOut> left_out;
  for (const SeriesMember& m : members) {
    INSTANTGP_CHECK(m.posterior.has_value());
    left_out.push_back(m.posterior->Loo());
  }
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    std::vector<ForecastDistribution::Component> components;
    double score = 0;
    const double y = series.values[i];
    for (std::size_t k = 0; k < members.size(); ++k) {
      const double mean = left_out[k].mean[static_cast<Index>(i)];
      const double std = std::sqrt(left_out[k].variance[static_cast<Index>(i)]);
      components.push_back({members[k].transform, mean, std, members[k].weight});
      score += members[k].weight * (members[k].transform.Forward(y) - mean) / std;
    }
    if (!(std::abs(score) > kAnomalyScore)) continue;
    const ForecastDistribution expected(std::move(components));
    result.anomalies.push_back(
        {series.times[i], y, expected.Median(), expected.Quantile(0.025), expected.Quantile(0.975), score});
  }
}

}  // namespace instantgp

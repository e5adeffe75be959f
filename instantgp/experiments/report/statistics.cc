#include "instantgp/experiments/report/statistics.h"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "instantgp/base/check.h"

namespace instantgp {

double Mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double GeometricMean(const std::vector<double>& values) {
  double sum = 0;
  for (double v : values) sum += std::log(v);
  return std::exp(sum / static_cast<double>(values.size()));
}

double StandardDeviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double mean = Mean(values);
  double sum = 0;
  for (double v : values) sum += (v - mean) * (v - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

double Quantile(std::vector<double> values, double q) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  INSTANTGP_CHECK(q >= 0 && q <= 1);
  std::sort(values.begin(), values.end());
  const double position = q * static_cast<double>(values.size() - 1);
  const std::size_t below = static_cast<std::size_t>(position);
  if (below + 1 == values.size()) return values.back();
  return values[below] + (position - static_cast<double>(below)) * (values[below + 1] - values[below]);
}

double Median(std::vector<double> values) { return Quantile(std::move(values), 0.5); }

TTest TwoSampleTTest(const std::vector<double>& a, const std::vector<double>& b) {
  INSTANTGP_CHECK(a.size() >= 2 && b.size() >= 2);
  const double na = static_cast<double>(a.size()), nb = static_cast<double>(b.size());
  const double sa = StandardDeviation(a), sb = StandardDeviation(b);
  TTest test;
  test.degrees_of_freedom = na + nb - 2;
  const double pooled = ((na - 1) * sa * sa + (nb - 1) * sb * sb) / test.degrees_of_freedom;
  const double difference = Mean(a) - Mean(b);
  if (difference == 0) {
    test.p_smaller = 0.5;
    return test;
  }
  test.t = difference / std::sqrt(pooled * (1 / na + 1 / nb));
  // P(|T| >= |t|) = I_{v / (v + t^2)}(v/2, 1/2)
  const double v = test.degrees_of_freedom;
  test.p_two_sided = std::isinf(test.t) ? 0 : boost::math::ibeta(v / 2, 0.5, v / (v + test.t * test.t));
  test.p_smaller = test.t < 0 ? test.p_two_sided / 2 : 1 - test.p_two_sided / 2;
  return test;
}

}  // namespace instantgp

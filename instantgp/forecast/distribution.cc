#include "instantgp/forecast/distribution.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/base/normal.h"

namespace instantgp {

ForecastDistribution ForecastDistribution::At(double value) {
  ForecastDistribution point;
  point.point_ = value;
  return point;
}

ForecastDistribution::ForecastDistribution(std::vector<Component> components) : components_(std::move(components)) {
  INSTANTGP_CHECK(!components_.empty());
}

double ForecastDistribution::Cdf(double y) const {
  if (components_.empty()) return y >= point_ ? 1 : 0;
  double sum = 0;
  for (const Component& c : components_) sum += c.weight * NormalCdf((c.transform.Forward(y) - c.mean) / c.std);
  return sum;
}

double ForecastDistribution::Quantile(double probability) const {
  INSTANTGP_CHECK(probability > 0 && probability < 1);
  if (components_.empty()) return point_;
  // The mixture's quantile lies between those of its components.
  const double z = NormalQuantile(probability);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Component& c : components_) {
    const double own = c.transform.Inverse(c.mean + c.std * z);
    low = std::min(low, own);
    high = std::max(high, own);
  }
  // The regula falsi, with the end that stays weighed half (Illinois).
  const double tolerance = 1e-10 * (high - low);
  double f_low = Cdf(low) - probability, f_high = Cdf(high) - probability;
  if (f_low >= 0) return low;
  if (f_high <= 0) return high;
  int side = 0;
  for (int k = 0; k < 100 && high - low > tolerance; ++k) {
    const double middle = k % 8 == 7 ? 0.5 * (low + high) : (f_high * low - f_low * high) / (f_high - f_low);
    const double f = Cdf(middle) - probability;
    if (f == 0) return middle;
    if (f < 0) {
      low = middle;
      f_low = f;
      if (side == -1) f_high /= 2;
      side = -1;
    } else {
      high = middle;
      f_high = f;
      if (side == 1) f_low /= 2;
      side = 1;
    }
    if (std::abs(f) < 1e-12) return middle;
  }
  return 0.5 * (low + high);
}

double ForecastDistribution::Mean() const {
  if (components_.empty()) return point_;
  double sum = 0;
  for (const Component& c : components_) sum += c.weight * c.transform.MeanOf(c.mean, c.std);
  return sum;
}

double ForecastDistribution::Std() const {
  if (components_.empty()) return 0;
  // About the mean, for second moments of large numbers cancel, and by roots, for their squares overflow.
  const double mean = Mean();
  double std = 0;
  for (const Component& c : components_) {
    const double off = c.transform.MeanOf(c.mean, c.std) - mean;
    std = std::hypot(std, std::sqrt(c.weight) * std::hypot(c.transform.StdOf(c.mean, c.std), off));
  }
  return std;
}

double ForecastDistribution::Crps(double observed) const {
  constexpr int kLevels = 100;
  double sum = 0;
  for (int k = 0; k < kLevels; ++k) {
    const double level = (k + 0.5) / kLevels, quantile = Quantile(level);
    sum += observed >= quantile ? level * (observed - quantile) : (1 - level) * (quantile - observed);
  }
  return 2 * sum / kLevels;
}

}  // namespace instantgp

#include "instantgp/base/normal.h"

#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>

#include "instantgp/base/check.h"

namespace instantgp {

double NormalDensity(double z) { return std::exp(-0.5 * z * z - kHalfLog2Pi); }

double NormalCdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

double NormalQuantile(double probability) {
  INSTANTGP_CHECK(probability > 0 && probability < 1);
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * probability);
}

double LogNormalDensity(double y, double mean, double std) {
  const double z = (y - mean) / std;
  return -0.5 * z * z - kHalfLog2Pi - std::log(std);
}

}  // namespace instantgp

#include "instantgp/base/normal.h"

#include <boost/math/special_functions/erf.hpp>
#include <numbers>

#include "instantgp/base/check.h"

namespace instantgp {

double NormalQuantile(double probability) {
  INSTANTGP_CHECK(probability > 0 && probability < 1);
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * probability);
}

}  // namespace instantgp

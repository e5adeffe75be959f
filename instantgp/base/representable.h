// Numbers in a user's units that may be larger than a double can be.
#pragma once

#include <algorithm>
#include <limits>

namespace instantgp {

// The nearest finite double; NaN stays what it is.
inline double Representable(double value) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  return std::clamp(value, -kLargest, kLargest);
}

// value * scale^2, where scale^2 alone may be no double.
inline double TimesSquare(double value, double scale) { return Representable(value * scale * scale); }

}  // namespace instantgp

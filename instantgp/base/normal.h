// The standard normal distribution.
#pragma once

namespace instantgp {

inline constexpr double kHalfLog2Pi = 0.9189385332046727;  // 1/2 log 2 pi, as 0.5 * std::log(2 * pi) rounds it

double NormalDensity(double z);
double NormalCdf(double z);  // P(Z <= z), without cancellation in the lower tail
// z with P(Z <= z) = probability, 0 < probability < 1; relative error below 1e-12.
double NormalQuantile(double probability);

// log N(y; mean, std^2)
double LogNormalDensity(double y, double mean, double std);

}  // namespace instantgp

// The standard normal distribution.
#pragma once

namespace instantgp {

// z with P(Z <= z) = probability, 0 < probability < 1; relative error below 1e-12.
double NormalQuantile(double probability);

}  // namespace instantgp

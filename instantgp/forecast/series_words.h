// A fitted kernel of time in words. Internal to forecast/.
#pragma once

#include <string>

#include "instantgp/kernel/expression.h"
#include "instantgp/kernel/log_parameters.h"

namespace instantgp {

// "a straight line, a random walk, a yearly season that changes over 5.2 years". `kernel` is a sum of leaves and of
// products SE*PER, with time in units of `unit` steps; a step lasts `step_days`, or 0 where nobody knows: then lengths
// are counted in steps.
std::string SeriesWords(const Expression& kernel, const LogParameters& theta, double unit, double step_days);

}  // namespace instantgp

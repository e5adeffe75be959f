// A structure with its parameters in words.
#pragma once

#include <string>
#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/data/scaler.h"
#include "instantgp/kernel/log_parameters.h"
#include "instantgp/kernel/structure.h"

namespace instantgp {

// "linear trend, yearly period (12.1 months) of growing amplitude"; with several columns each behind its name:
// "month: ...; price: ...". Lengths are in the units of the column. A calendar word (yearly, weekly, daily) is used
// only where the column's name is a unit of time and the period within 4 percent of one. theta: log-parameters in table
// order, scaled units; what follows them is ignored.
std::string Describe(const Structure& structure, const LogParameters& theta, const Scaler& scaler,
                     const std::vector<std::string>& column_names);

}  // namespace instantgp

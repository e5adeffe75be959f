// The built-in example: international airline passengers, monthly totals in thousands, January 1949 to December 1960
// (Box and Jenkins, "Time Series Analysis", series G).
#pragma once

#include <string_view>

#include "instantgp/base/export.h"
#include "instantgp/data/dataset.h"

namespace instantgp {

// The text of examples/airline.csv: columns month (1..144) and passengers.
INSTANTGP_EXPORT std::string_view AirlineCsv();
INSTANTGP_EXPORT Dataset AirlineExample();

}  // namespace instantgp

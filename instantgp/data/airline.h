// The text of the built-in example, AirlineExample().
#pragma once

#include <string_view>

#include "instantgp/data/dataset.h"

namespace instantgp {

// The text of examples/airline.csv: columns month (1..144) and passengers.
std::string_view AirlineCsv();

}  // namespace instantgp

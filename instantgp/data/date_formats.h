// The formats a column of dates is tried with, in the order of preference.
#pragma once

#include <vector>

#include "instantgp/data/date.h"

namespace instantgp {

const std::vector<DateFormat>& UsualDateFormats();

}  // namespace instantgp

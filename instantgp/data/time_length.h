// Lengths of time as people say them: "12 months", "2.3 years", "36 hours".
#pragma once

#include <string>
#include <string_view>

#include "instantgp/base/export.h"

namespace instantgp {

// A number of three digits and the unit in which it is at least 2: 730 days are "2 years", 365.2425 are "12 months", 1
// is "24 hours". A month is a twelfth of 365.2425 days.
INSTANTGP_EXPORT std::string TimeLengthText(double days);

// Days in "12 months", "2.3 years", "1 day", "36h"; a plain number is days. Throws Error(kBadInput).
INSTANTGP_EXPORT double ReadTimeLength(std::string_view text);

// What comes round in that time where people have a word for it, to 1 percent: "yearly", "quarterly", "monthly",
// "weekly", "daily", "hourly"; otherwise "every 2.3 years".
INSTANTGP_EXPORT std::string PeriodWords(double days);

}  // namespace instantgp

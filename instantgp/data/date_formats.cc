#include "instantgp/data/date_formats.h"

#include <string>
#include <string_view>

namespace instantgp {

namespace {

// Days, each with every time of day below. With points the day comes first everywhere; with strokes and dashes it does
// not.
constexpr std::string_view kDayFormats[] = {
    "%Y-%m-%d",  "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y",  "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y",
    "%m-%d-%Y",  "%d %b %Y", "%d %B %Y", "%d. %B %Y", "%d-%b-%Y", "%d-%B-%Y", "%b %d, %Y",
    "%B %d, %Y", "%b %d %Y", "%B %d %Y", "%Y-%b-%d",  "%d%b%Y",   "%Y-%j",    "%G-W%V-%u",
};
constexpr std::string_view kTimeFormats[] = {"",           "T%H:%M",   " %H:%M",    "T%H:%M:%S",    " %H:%M:%S",
                                             "T%H",        " %H",      " %I:%M %p", " %I:%M:%S %p", ", %H:%M",
                                             ", %H:%M:%S", ":%H:%M:%S"};
constexpr std::string_view kOffsetFormats[] = {"", "%z", " %z"};

// Months, quarters and weeks, and the short forms of ISO 8601. 202001 and 20200131 are numbers and not among them.
constexpr std::string_view kOtherFormats[] = {
    "%Y-%m",  "%Y/%m",  "%m/%Y",  "%m-%Y",  "%YM%m",       "%Y-M%m",        "%Y M%m",        "%b %Y",
    "%B %Y",  "%b-%Y",  "%B-%Y",  "%b, %Y", "%B, %Y",      "%Y-%b",         "%Y %b",         "%Y %B",
    "%b%Y",   "%YQ%q",  "%Y-Q%q", "%Y Q%q", "%Yq%q",       "%Y/Q%q",        "Q%q %Y",        "Q%q-%Y",
    "Q%q/%Y", "%G-W%V", "%GW%V",  "%G W%V", "%Y%m%dT%H%M", "%Y%m%dT%H%M%S", "%Y%m%dT%H%M%z", "%Y%m%dT%H%M%S%z",
};

// Refused by date_column.cc unless one is said to be the format.
constexpr std::string_view kTwoDigitFormats[] = {
    "%d.%m.%y", "%m/%d/%y", "%d/%m/%y", "%y/%m/%d", "%d-%m-%y", "%m-%d-%y",
    "%y-%m-%d", "%d-%b-%y", "%d %b %y", "%b-%y",    "%b %y",    "%d%b%y",
};

std::vector<DateFormat> MakeUsualFormats() {
  std::vector<DateFormat> formats;
  const auto with_times = [&formats](std::string_view day) {
    for (const std::string_view time : kTimeFormats) {
      for (const std::string_view offset : kOffsetFormats) {
        if (time.empty() && !offset.empty()) continue;
        formats.emplace_back(std::string(day) + std::string(time) + std::string(offset));
      }
    }
  };
  for (const std::string_view day : kDayFormats) with_times(day);
  for (const std::string_view format : kOtherFormats) formats.emplace_back(format);
  for (const std::string_view day : kTwoDigitFormats) {
    if (day.find("%d") != std::string_view::npos) {
      with_times(day);
    } else {
      formats.emplace_back(day);
    }
  }
  return formats;
}

}  // namespace

const std::vector<DateFormat>& UsualDateFormats() {
  static const std::vector<DateFormat> kFormats = MakeUsualFormats();
  return kFormats;
}

}  // namespace instantgp

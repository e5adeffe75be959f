// A moment to text, by a format.
#include <algorithm>
#include <cstdlib>

#include "instantgp/base/check.h"
#include "instantgp/data/civil.h"
#include "instantgp/data/date.h"

namespace instantgp {

namespace {

void AppendPadded(std::string& text, std::int64_t value, int width) {
  const std::string digits = std::to_string(value);
  text.append(static_cast<std::size_t>(std::max(0, width - static_cast<int>(digits.size()))), '0');
  text += digits;
}

void AppendOffset(std::string& text, int minutes, const std::string& style) {
  if (minutes == 0 && (style == "Z" || style == "UTC" || style == "GMT")) {
    text += style;
    return;
  }
  const int size = std::abs(minutes);
  text += minutes < 0 ? '-' : '+';
  AppendPadded(text, size / 60, 2);
  if (style == "+hh" && size % 60 == 0) return;
  if (style != "+hhmm") text += ':';
  AppendPadded(text, size % 60, 2);
}

}  // namespace

std::string DateFormat::Write(const Moment& moment, const Style& style) const {
  INSTANTGP_CHECK(!moment.missing());
  std::int64_t us = moment.local_us;
  std::int64_t unit = 1'000'000;  // the last digit written, rounded to
  for (int k = 0; k < style.fraction_digits; ++k) unit /= 10;
  if (precision_ == DatePrecision::kTime && unit > 0) us = (us >= 0 ? us + unit / 2 : us - unit / 2) / unit * unit;
  std::int64_t day = us / kDayUs, clock = us % kDayUs;
  if (clock < 0) {
    clock += kDayUs;
    --day;
  }
  const CivilDay date = CivilOf(day);
  const int weekday = WeekdayOf(day);
  // The ISO year is that of the Thursday of the week.
  const int week_year = CivilOf(day - weekday + 4).year;
  const std::int64_t hour = clock / 3'600'000'000;
  std::string text;
  for (const Token& token : tokens_) {
    const int two = token.unpadded ? 1 : 2;
    switch (token.directive) {
      case 0:
        text += token.literal;
        break;
      case 'Y':
        AppendPadded(text, date.year, 4);
        break;
      case 'G':
        AppendPadded(text, week_year, 4);
        break;
      case 'y':
        AppendPadded(text, date.year % 100, 2);
        break;
      case 'm':
        AppendPadded(text, date.month, two);
        break;
      case 'd':
        AppendPadded(text, date.day, two);
        break;
      case 'H':
        AppendPadded(text, hour, two);
        break;
      case 'I':
        AppendPadded(text, (hour + 11) % 12 + 1, two);
        break;
      case 'b':
      case 'B': {
        std::string name(kMonthNames[static_cast<std::size_t>(date.month - 1)].substr(
            0, token.directive == 'b' ? 3 : std::string_view::npos));
        if (style.upper_names) {
          for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        }
        text += name;
        break;
      }
      case 'q':
        AppendPadded(text, (date.month + 2) / 3, 1);
        break;
      case 'j':
        AppendPadded(text, day - DayNumber(date.year, 1, 1) + 1, 3);
        break;
      case 'V':
        AppendPadded(text, (day - FirstMonday(week_year)) / 7 + 1, 2);
        break;
      case 'u':
        AppendPadded(text, weekday, 1);
        break;
      case 'M':
        AppendPadded(text, clock / 60'000'000 % 60, 2);
        break;
      case 'S':
        AppendPadded(text, clock / 1'000'000 % 60, 2);
        if (style.fraction_digits > 0) {
          text += '.';
          AppendPadded(text, clock % 1'000'000 / unit, style.fraction_digits);
        }
        break;
      case 'p':
        text += hour < 12 ? "AM" : "PM";
        break;
      case 'z':
        AppendOffset(text, moment.offset_minutes, style.offset);
        break;
      default:
        INSTANTGP_CHECK(false);
    }
  }
  return text;
}

}  // namespace instantgp

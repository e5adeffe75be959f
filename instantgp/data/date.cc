#include "instantgp/data/date.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"
#include "instantgp/data/civil.h"

namespace instantgp {

namespace {

constexpr std::string_view kDirectives = "YymdbBqjGVuHMSIpz";
constexpr std::string_view kDigitDirectives = "YymdqjGVuHMSI";

[[noreturn]] void FailFormat(std::string_view format, const std::string& what) {
  throw Error(ErrorCode::kUsage, "the date format '" + OneLine(format) + "' " + what);
}

}  // namespace

double DaysOf(const Moment& moment) {
  if (moment.missing()) return std::numeric_limits<double>::quiet_NaN();
  // Whole days and the rest apart: the number of microseconds does not always fit a double.
  const std::int64_t us = moment.utc_us();
  const std::int64_t days = us / kDayUs, rest = us % kDayUs;
  return static_cast<double>(days) + static_cast<double>(rest) / static_cast<double>(kDayUs);
}

Moment MomentOfDays(double days, int offset_minutes) {
  // On the clock of the offset: its first and last days are other days of UTC.
  static const std::int64_t first = DayNumber(1, 1, 1), last = DayNumber(9999, 12, 31);
  if (!(days >= static_cast<double>(first - 1) && days < static_cast<double>(last + 2))) return {};
  const double whole = std::floor(days);
  const std::int64_t rest = std::llround((days - whole) * static_cast<double>(kDayUs));
  const std::int64_t local_us = static_cast<std::int64_t>(whole) * kDayUs + rest + 60'000'000LL * offset_minutes;
  // A double is good to 40 microseconds there and may fall outside by as much.
  constexpr std::int64_t kRounding = 64;
  const std::int64_t least = first * kDayUs, most = (last + 1) * kDayUs - 1;
  if (local_us < least - kRounding || local_us > most + kRounding) return {};
  return {std::clamp(local_us, least, most), offset_minutes};
}

DateFormat::DateFormat(std::string_view format) : text_(format) {
  for (std::size_t i = 0; i < format.size(); ++i) {
    Token token;
    if (format[i] != '%') {
      token.literal = format[i];
    } else {
      if (++i < format.size() && format[i] == '-') {
        token.unpadded = true;
        ++i;
      }
      if (i >= format.size()) FailFormat(format, "ends in a single %; write %% for a percent sign");
      if (format[i] == '%' && !token.unpadded) {
        token.literal = '%';
      } else if (kDirectives.find(format[i]) == std::string_view::npos) {
        FailFormat(format, "has the directive '%" + OneLine(format.substr(i, 1)) +
                               "'; there are %Y %y %m %d %b %B %q %j %G %V %u %H %I %M %S %p %z, for example %d.%m.%Y");
      } else {
        token.directive = format[i];
      }
    }
    tokens_.push_back(token);
  }
  for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
    const Token& next = tokens_[i + 1];
    tokens_[i].full_width = next.directive != 0 ? kDigitDirectives.find(next.directive) != std::string_view::npos
                                                : (next.literal >= '0' && next.literal <= '9');
  }
  CheckParts();
  const auto has = [this](char c) {
    return std::any_of(tokens_.begin(), tokens_.end(), [c](const Token& token) { return token.directive == c; });
  };
  two_digit_year_ = has('y');
  has_offset_ = has('z');
  const bool time = has('H') || has('I');
  precision_ = time                               ? DatePrecision::kTime
               : has('d') || has('j') || has('u') ? DatePrecision::kDay
               : has('V')                         ? DatePrecision::kWeek
               : has('m') || has('b') || has('B') ? DatePrecision::kMonth
               : has('q')                         ? DatePrecision::kQuarter
                                                  : DatePrecision::kYear;
}

void DateFormat::CheckParts() const {
  const auto count = [this](std::string_view any_of) {
    return std::count_if(tokens_.begin(), tokens_.end(), [any_of](const Token& token) {
      return token.directive != 0 && any_of.find(token.directive) != std::string_view::npos;
    });
  };
  for (const std::string_view same : {"YyG", "mbBq", "dj", "HI", "V", "u", "M", "S", "p", "z"}) {
    if (count(same) > 1) FailFormat(text_, "says the same part of a date twice; name every part once");
  }
  if (count("YyG") == 0) FailFormat(text_, "has no year; add %Y, or %y for two digits");
  const bool weeks = count("G") == 1;
  if (weeks != (count("V") == 1) || (count("u") == 1 && !weeks)) {
    FailFormat(text_, "needs %G, the year of a week, and %V, the week, together");
  }
  if (weeks && count("mbBqdj") > 0) FailFormat(text_, "mixes weeks with months; use one of them");
  if (count("d") == 1 && count("mbB") == 0)
    FailFormat(text_, "has a day but no month; add %m, or %j for a day of the year");
  if (count("j") == 1 && count("mbBq") > 0) FailFormat(text_, "has a month and a day of the year; use one of them");
  const bool whole_day = count("dju") == 1;
  if (count("HI") == 1 && !whole_day) FailFormat(text_, "has an hour but no day; add %d");
  if ((count("M") == 1 && count("HI") == 0) || (count("S") == 1 && count("M") == 0)) {
    FailFormat(text_, "has minutes without hours or seconds without minutes; add %H or %M");
  }
  if (count("I") != count("p")) FailFormat(text_, "needs %I, the hour up to 12, and %p, AM or PM, together");
  if (count("z") == 1 && count("HI") == 0) FailFormat(text_, "has an offset from UTC but no hour; add %H");
}

}  // namespace instantgp

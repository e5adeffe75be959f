// One date or time as text, read and written by a format.
//
// A format is text with directives, those of strftime where it has them:
//
//   %Y year, four digits      %m month 1..12      %d day 1..31        %j day of the year, three digits
//   %y year, two digits       %b Jan  %B January  %q quarter 1..4     %G-W%V year and week of ISO 8601, %u weekday 1..7
//   %H hour 0..23             %M minute           %S second, with a decimal fraction if there is one
//   %I hour 1..12             %p AM or PM         %z Z, UTC, GMT, +02:00, +0200 or +02
//
// %% is a percent sign; everything else stands for itself. %-d, %-m, %-H and %-I are written without a leading zero;
// read are one digit or two in any case. %y is 1969..2068, as in POSIX. Names of months are English.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "instantgp/base/export.h"

namespace instantgp {

// A point in time as somebody wrote it: what calendar and clock showed, and how far that clock was ahead of UTC.
// Proleptic Gregorian calendar, years 1 to 9999, no leap seconds. Without an offset in the text the offset is 0.
struct INSTANTGP_EXPORT Moment {
  static constexpr std::int64_t kMissing = INT64_MIN;

  std::int64_t local_us = kMissing;  // microseconds since 1970-01-01 00:00 on that clock
  int offset_minutes = 0;

  bool missing() const { return local_us == kMissing; }
  std::int64_t utc_us() const { return local_us - 60'000'000LL * offset_minutes; }
  friend bool operator==(const Moment&, const Moment&) = default;
};

inline constexpr std::int64_t kDayUs = 86'400'000'000;

// Days since 1970-01-01T00:00Z, the number a model sees; NaN for a missing one. The double of a date of our time is
// good to a microsecond.
INSTANTGP_EXPORT double DaysOf(const Moment& moment);
// The moment nearest to a number of days on a clock with that offset; `missing` outside the years 1 to 9999.
INSTANTGP_EXPORT Moment MomentOfDays(double days, int offset_minutes = 0);

// What a date leaves open; the length of what it names.
enum class DatePrecision { kYear, kQuarter, kMonth, kWeek, kDay, kTime };

enum class DateProblem {
  kNone,
  kOtherForm,   // the text does not have the form of the format
  kNoSuchDay,   // it has, but 30 February does not exist, nor does month 13
  kNoSuchTime,  // nor 24:00 or 12:60
};

// How one cell was written beyond what the format says.
struct DateReading {
  Moment moment;
  DateProblem problem = DateProblem::kNone;
  bool has_offset = false;
  int fraction_digits = 0;       // of the second
  unsigned one_digit = 0;        // which of %d %m %H %I had one digit: bits 1, 2, 4, 8
  bool upper_names = false;      // JAN
  std::string_view offset_text;  // as written
};

class INSTANTGP_EXPORT DateFormat {
 public:
  // Throws Error(kUsage) for an unknown directive, or directives that leave the date open (no year, a day without a
  // month) or say a part twice.
  explicit DateFormat(std::string_view format);

  const std::string& text() const { return text_; }
  DatePrecision precision() const { return precision_; }
  bool two_digit_year() const { return two_digit_year_; }
  bool has_offset() const { return has_offset_; }

  DateReading Read(std::string_view text) const;

  // How an offset and what is smaller than a second are written.
  struct Style {
    int fraction_digits = 0;
    bool upper_names = false;
    std::string offset = "+hh:mm";  // or "+hhmm", "+hh"; "Z", "UTC", "GMT" for an offset of 0, otherwise +hh:mm
  };
  std::string Write(const Moment& moment, const Style& style) const;

 private:
  struct Token {
    char directive = 0;  // 0: literal
    bool unpadded = false;
    bool full_width = false;  // a digit follows, so all digits must be there
    char literal = 0;
  };

  void CheckParts() const;

  std::string text_;
  std::vector<Token> tokens_;
  DatePrecision precision_ = DatePrecision::kDay;
  bool two_digit_year_ = false;
  bool has_offset_ = false;
};

}  // namespace instantgp

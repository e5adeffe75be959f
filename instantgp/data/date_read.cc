// Text to a moment, by a format.
#include <algorithm>

#include "instantgp/base/check.h"
#include "instantgp/data/civil.h"
#include "instantgp/data/date.h"

namespace instantgp {

namespace {

constexpr int kLargestOffset = 14 * 60;  // Kiribati's; nothing on Earth is farther from UTC

bool IsDigitOfDate(char c) { return c >= '0' && c <= '9'; }
char LowerChar(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

struct DateParts {
  int year = -1, month = -1, day = -1, quarter = -1, week_year = -1, week = -1, weekday = -1, day_of_year = -1;
  int hour = -1, hour12 = -1, minute = -1, second = -1, microsecond = 0;
  int afternoon = -1;
};

// The number of the day, or nothing with a problem.
bool DayOfParts(const DateParts& p, std::int64_t& day) {
  if (p.week_year >= 0) {
    const int weeks = static_cast<int>((FirstMonday(p.week_year + 1) - FirstMonday(p.week_year)) / 7);
    if (p.week_year < 1 || p.week < 1 || p.week > weeks || p.weekday == 0 || p.weekday > 7) return false;
    day = FirstMonday(p.week_year) + 7 * (p.week - 1) + std::max(p.weekday, 1) - 1;
    return day >= DayNumber(1, 1, 1) && day <= DayNumber(9999, 12, 31);
  }
  if (p.day_of_year >= 0) {
    if (p.year < 1) return false;
    const std::int64_t first = DayNumber(p.year, 1, 1);
    if (p.day_of_year < 1 || p.day_of_year > DayNumber(p.year, 12, 31) - first + 1) return false;
    day = first + p.day_of_year - 1;
    return true;
  }
  if (p.quarter == 0 || p.quarter > 4) return false;
  const int month = p.quarter > 0 ? 3 * p.quarter - 2 : p.month < 0 ? 1 : p.month;
  const int day_of_month = p.day < 0 ? 1 : p.day;
  if (!IsDay(p.year, month, day_of_month)) return false;
  day = DayNumber(p.year, month, day_of_month);
  return true;
}

bool ClockOfParts(const DateParts& p, std::int64_t& us) {
  int hour = std::max(p.hour, 0);
  if (p.hour12 >= 0) {
    if (p.hour12 < 1 || p.hour12 > 12) return false;
    hour = p.hour12 % 12 + (p.afternoon == 1 ? 12 : 0);
  }
  if (hour > 23 || p.minute > 59 || p.second > 59) return false;
  const std::int64_t seconds = 3600LL * hour + 60LL * std::max(p.minute, 0) + std::max(p.second, 0);
  us = 1'000'000 * seconds + p.microsecond;
  return true;
}

// Reads the text from the left. Every function returns false where the text has another form.
class DateCursor {
 public:
  explicit DateCursor(std::string_view text) : text_(text) {}

  bool AtEnd() const { return at_ == text_.size(); }
  bool Take(char c) {
    if (AtEnd() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool Number(int least, int most, int& value, int* digits = nullptr) {
    int count = 0;
    value = 0;
    while (count < most && !AtEnd() && IsDigitOfDate(text_[at_])) {
      value = 10 * value + (text_[at_++] - '0');
      ++count;
    }
    if (digits != nullptr) *digits = count;
    return count >= least;
  }

  // The digits after the point of a second; those past the sixth are less than we keep.
  bool Fraction(int& microsecond, int& digits) {
    microsecond = 0;
    digits = 0;
    if (AtEnd() || (text_[at_] != '.' && text_[at_] != ',')) return true;
    ++at_;
    int count = 0;
    for (; !AtEnd() && IsDigitOfDate(text_[at_]); ++at_, ++count) {
      if (count < 6) microsecond = 10 * microsecond + (text_[at_] - '0');
    }
    for (int k = count; k < 6; ++k) microsecond *= 10;
    digits = std::min(count, 6);
    return count >= 1 && count <= 9;
  }

  bool MonthName(bool abbreviated, int& month, bool& upper) {
    for (std::size_t m = 0; m < kMonthNames.size(); ++m) {
      const std::string_view name = abbreviated ? kMonthNames[m].substr(0, 3) : kMonthNames[m];
      const std::string_view here = text_.substr(at_, name.size());
      if (here.size() != name.size() || !std::equal(name.begin(), name.end(), here.begin(),
                                                    [](char a, char b) { return LowerChar(a) == LowerChar(b); })) {
        continue;
      }
      month = static_cast<int>(m) + 1;
      upper = here[1] >= 'A' && here[1] <= 'Z';
      at_ += name.size();
      return true;
    }
    return false;
  }

  bool HalfOfDay(int& afternoon) {
    const std::string_view here = text_.substr(at_, 2);
    if (here.size() < 2 || LowerChar(here[1]) != 'm' || (LowerChar(here[0]) != 'a' && LowerChar(here[0]) != 'p'))
      return false;
    afternoon = LowerChar(here[0]) == 'p' ? 1 : 0;
    at_ += 2;
    return true;
  }

  bool Offset(int& minutes, std::string_view& as_written) {
    const std::size_t start = at_;
    minutes = 0;
    for (const std::string_view name : {"Z", "UTC", "GMT"}) {
      if (text_.substr(at_).starts_with(name)) {
        at_ += name.size();
        as_written = name;
        return true;
      }
    }
    if (AtEnd() || (text_[at_] != '+' && text_[at_] != '-')) return false;
    const bool west = text_[at_++] == '-';
    int hours = 0, rest = 0;
    if (!Number(2, 2, hours)) return false;
    const bool colon = Take(':');
    if ((colon || (!AtEnd() && IsDigitOfDate(text_[at_]))) && !Number(2, 2, rest)) return false;
    minutes = 60 * hours + rest;
    if (rest > 59 || minutes > kLargestOffset) return false;
    if (west) minutes = -minutes;
    as_written = text_.substr(start, at_ - start);
    return true;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

DateReading DateFormat::Read(std::string_view text) const {
  DateReading reading;
  reading.problem = DateProblem::kOtherForm;
  DateCursor cursor(text);
  DateParts p;
  for (const Token& token : tokens_) {
    const int two = token.full_width ? 2 : 1;
    int digits = 0;
    bool taken = false;
    switch (token.directive) {
      case 0:
        taken = cursor.Take(token.literal);
        break;
      case 'Y':
        taken = cursor.Number(4, 4, p.year);
        break;
      case 'G':
        taken = cursor.Number(4, 4, p.week_year);
        break;
      case 'y':
        taken = cursor.Number(2, 2, p.year);
        p.year += p.year < 69 ? 2000 : 1900;
        break;
      case 'm':
        taken = cursor.Number(two, 2, p.month, &digits);
        reading.one_digit |= digits == 1 ? 2u : 0u;
        break;
      case 'd':
        taken = cursor.Number(two, 2, p.day, &digits);
        reading.one_digit |= digits == 1 ? 1u : 0u;
        break;
      case 'H':
        taken = cursor.Number(two, 2, p.hour, &digits);
        reading.one_digit |= digits == 1 ? 4u : 0u;
        break;
      case 'I':
        taken = cursor.Number(two, 2, p.hour12, &digits);
        reading.one_digit |= digits == 1 ? 8u : 0u;
        break;
      case 'b':
      case 'B':
        taken = cursor.MonthName(token.directive == 'b', p.month, reading.upper_names);
        break;
      case 'q':
        taken = cursor.Number(1, 1, p.quarter);
        break;
      case 'j':
        taken = cursor.Number(3, 3, p.day_of_year);
        break;
      case 'V':
        taken = cursor.Number(2, 2, p.week);
        break;
      case 'u':
        taken = cursor.Number(1, 1, p.weekday);
        break;
      case 'M':
        taken = cursor.Number(2, 2, p.minute);
        break;
      case 'S':
        taken = cursor.Number(2, 2, p.second) && cursor.Fraction(p.microsecond, reading.fraction_digits);
        break;
      case 'p':
        taken = cursor.HalfOfDay(p.afternoon);
        break;
      case 'z':
        taken = cursor.Offset(reading.moment.offset_minutes, reading.offset_text);
        reading.has_offset = true;
        break;
      default:
        INSTANTGP_CHECK(false);
    }
    if (!taken) return reading;
  }
  if (!cursor.AtEnd()) return reading;
  std::int64_t day = 0, clock = 0;
  if (!DayOfParts(p, day)) {
    reading.problem = DateProblem::kNoSuchDay;
  } else if (!ClockOfParts(p, clock)) {
    reading.problem = DateProblem::kNoSuchTime;
  } else {
    reading.problem = DateProblem::kNone;
    reading.moment.local_us = day * kDayUs + clock;
  }
  return reading;
}

}  // namespace instantgp

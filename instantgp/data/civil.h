// Days of the Gregorian calendar as numbers: days since 1970-01-01.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace instantgp {

inline constexpr std::array<std::string_view, 12> kMonthNames = {"January",   "February", "March",    "April",
                                                                 "May",       "June",     "July",     "August",
                                                                 "September", "October",  "November", "December"};

struct CivilDay {
  int year = 1970;
  int month = 1;
  int day = 1;
};

inline std::int64_t DayNumber(int year, int month, int day) {
  using namespace std::chrono;
  const year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day))};
  return sys_days(date).time_since_epoch().count();
}

inline CivilDay CivilOf(std::int64_t day_number) {
  using namespace std::chrono;
  const year_month_day date{sys_days(days(day_number))};
  return {static_cast<int>(date.year()), static_cast<int>(static_cast<unsigned>(date.month())),
          static_cast<int>(static_cast<unsigned>(date.day()))};
}

inline int DaysInMonth(int year, int month) {
  using namespace std::chrono;
  const year_month_day_last last =
      std::chrono::year(year) / std::chrono::month(static_cast<unsigned>(month)) / std::chrono::last;
  return static_cast<int>(static_cast<unsigned>(last.day()));
}

// In the years 1 to 9999.
inline bool IsDay(int year, int month, int day) {
  return year >= 1 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= DaysInMonth(year, month);
}

// 1: Monday to 7: Sunday.
inline int WeekdayOf(std::int64_t day_number) { return static_cast<int>(((day_number + 3) % 7 + 7) % 7) + 1; }

// The Monday of week 1 of an ISO year: of the week that holds 4 January.
inline std::int64_t FirstMonday(int iso_year) {
  const std::int64_t fourth = DayNumber(iso_year, 1, 4);
  return fourth - (WeekdayOf(fourth) - 1);
}

// a / b rounded down, for a positive b.
inline std::int64_t FloorDiv(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace instantgp

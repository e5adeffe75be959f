#include "instantgp/data/calendar.h"

#include <algorithm>
#include <cmath>

#include "instantgp/base/check.h"
#include "instantgp/data/civil.h"

namespace instantgp {

namespace {

struct UnitNames {
  const char* adverb;
  const char* plural;
  double days;
};

const UnitNames& NamesOf(CalendarUnit unit) {
  static constexpr UnitNames kNames[] = {
      {"every microsecond", "microseconds", 1 / 86400e6},
      {"every second", "seconds", 1 / 86400.0},
      {"every minute", "minutes", 1 / 1440.0},
      {"hourly", "hours", 1 / 24.0},
      {"daily", "days", 1},
      {"business days", "business days", 7.0 / 5},
      {"weekly", "weeks", 7},
      {"monthly", "months", 365.2425 / 12},
      {"quarterly", "quarters", 365.2425 / 4},
      {"yearly", "years", 365.2425},
  };
  return kNames[static_cast<std::size_t>(unit)];
}

// Microseconds of a step of fixed length; 0 for months and business days.
std::int64_t FixedLength(CalendarUnit unit) {
  switch (unit) {
    case CalendarUnit::kMicrosecond:
      return 1;
    case CalendarUnit::kSecond:
      return 1'000'000;
    case CalendarUnit::kMinute:
      return 60'000'000;
    case CalendarUnit::kHour:
      return 3'600'000'000;
    case CalendarUnit::kDay:
      return kDayUs;
    case CalendarUnit::kWeek:
      return 7 * kDayUs;
    default:
      return 0;
  }
}

// Steps of time count seconds that pass; longer ones what the clock on the wall shows.
bool ByTheClock(CalendarUnit unit) { return unit >= CalendarUnit::kDay; }

// The number of a business day: five a week, counted from Monday 1969-12-29. Saturday and Sunday share Friday's.
std::int64_t BusinessDay(std::int64_t day) {
  const std::int64_t week = FloorDiv(day + 3, 7);
  return 5 * week + std::min<std::int64_t>(day + 3 - 7 * week, 4);
}

std::int64_t DayOfBusinessDay(std::int64_t number) {
  const std::int64_t week = FloorDiv(number, 5);
  return 7 * week + (number - 5 * week) - 3;
}

std::int64_t MonthNumber(const CivilDay& date) { return 12LL * date.year + date.month - 1; }

}  // namespace

std::string CalendarStep::Words() const {
  if (count == 1) return NamesOf(unit).adverb;
  return "every " + std::to_string(count) + " " + NamesOf(unit).plural;
}

std::string CalendarStep::Plural() const { return NamesOf(unit).plural; }

double CalendarStep::MeanDays() const { return static_cast<double>(count) * NamesOf(unit).days; }

Calendar::Calendar(CalendarStep step, Moment first, int day_of_month)
    : step_(step), first_(first), day_of_month_(day_of_month) {
  INSTANTGP_CHECK(step.count >= 1 && !first.missing());
  const std::int64_t day = FloorDiv(first.local_us, kDayUs);
  if (day_of_month_ == 0) day_of_month_ = CivilOf(day).day;
  INSTANTGP_CHECK(step.unit != CalendarUnit::kBusinessDay || WeekdayOf(day) <= 5);
}

std::int64_t Calendar::StepMonths() const {
  switch (step_.unit) {
    case CalendarUnit::kMonth:
      return step_.count;
    case CalendarUnit::kQuarter:
      return 3 * step_.count;
    case CalendarUnit::kYear:
      return 12 * step_.count;
    default:
      return 0;
  }
}

Moment Calendar::At(std::int64_t position) const {
  const Moment moment = Unbounded(position);
  if (moment.missing() || moment.local_us < DayNumber(1, 1, 1) * kDayUs) return {};
  return moment.local_us < DayNumber(10'000, 1, 1) * kDayUs ? moment : Moment{};
}

Moment Calendar::Unbounded(std::int64_t position) const {
  INSTANTGP_CHECK(!first_.missing());
  // As a double first: past the years of the calendar there are integers that would overflow.
  const double years = static_cast<double>(position) * step_.MeanDays() / 365.2425;
  if (std::abs(years) > 10'000) return {};
  const std::int64_t day = FloorDiv(first_.local_us, kDayUs);
  const std::int64_t clock = first_.local_us - day * kDayUs;
  std::int64_t time = 0;
  if (const std::int64_t months = StepMonths(); months > 0) {
    const std::int64_t month = MonthNumber(CivilOf(day)) + position * months;
    const int year = static_cast<int>(FloorDiv(month, 12));
    const int month_of_year = static_cast<int>(month - 12LL * year) + 1;
    const int day_of_month = std::min(day_of_month_, DaysInMonth(year, month_of_year));
    time = DayNumber(year, month_of_year, day_of_month) * kDayUs + clock;
  } else if (step_.unit == CalendarUnit::kBusinessDay) {
    time = DayOfBusinessDay(BusinessDay(day) + position * step_.count) * kDayUs + clock;
  } else {
    time = first_.local_us + position * step_.count * FixedLength(step_.unit);
  }
  return {time, first_.offset_minutes};
}

std::int64_t Calendar::Nearest(const Moment& moment) const {
  // On the first date's clock, or on the one the date is written by where a step is a matter of the clock.
  const std::int64_t time =
      ByTheClock(step_.unit) ? moment.local_us : moment.utc_us() + first_.local_us - first_.utc_us();
  std::int64_t guess = 0;
  const std::int64_t day = FloorDiv(time, kDayUs), first_day = FloorDiv(first_.local_us, kDayUs);
  if (const std::int64_t months = StepMonths(); months > 0) {
    guess = FloorDiv(MonthNumber(CivilOf(day)) - MonthNumber(CivilOf(first_day)), months);
  } else if (step_.unit == CalendarUnit::kBusinessDay) {
    guess = FloorDiv(BusinessDay(day) - BusinessDay(first_day), step_.count);
  } else {
    return FloorDiv(time - first_.local_us, step_.count * FixedLength(step_.unit));
  }
  while (Unbounded(guess).local_us > time) --guess;
  return guess;
}

bool Calendar::Find(const Moment& moment, std::int64_t& position) const {
  position = Nearest(moment);
  // A day of the year 9999 may be one of the year 10000 on the first date's clock.
  const Moment at = Unbounded(position);
  if (at.missing()) return false;
  return ByTheClock(step_.unit) ? at.local_us == moment.local_us : at.utc_us() == moment.utc_us();
}

double Calendar::Position(const Moment& moment) const {
  const std::int64_t k = Nearest(moment);
  const Moment here = At(k), next = At(k + 1);
  if (here.missing() || next.missing()) return static_cast<double>(k);
  const bool clock = ByTheClock(step_.unit);
  const double gone = static_cast<double>(clock ? moment.local_us - here.local_us : moment.utc_us() - here.utc_us());
  return static_cast<double>(k) + gone / static_cast<double>(next.local_us - here.local_us);
}

}  // namespace instantgp

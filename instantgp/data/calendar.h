// The step of a column of dates: daily, monthly, every 15 minutes; gaps, duplicates and order; and the dates that
// follow.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "instantgp/base/export.h"
#include "instantgp/data/date_column.h"

namespace instantgp {

enum class CalendarUnit { kMicrosecond, kSecond, kMinute, kHour, kDay, kBusinessDay, kWeek, kMonth, kQuarter, kYear };

// `count` units: 3 hours, 2 weeks. Quarters and years are 3 and 12 months, with a name of their own.
struct INSTANTGP_EXPORT CalendarStep {
  CalendarUnit unit = CalendarUnit::kDay;
  std::int64_t count = 1;

  // "monthly", "every 2 weeks", "business days", "every 15 minutes".
  std::string Words() const;
  std::string Plural() const;  // of the unit: "months"
  double MeanDays() const;     // 365.2425 / 12 for a month, 7 / 5 for a business day
  friend bool operator==(const CalendarStep&, const CalendarStep&) = default;
};

// The dates a series steps through: At(0) is the first, At(k) is k steps later, for any k.
//
// Months keep the day of the month, or its last day where the month is shorter: after 31 January come 29 February 2020
// and 31 March. Where every date is the last day of its month, so are those that follow (after 28 February 2023: 29
// February 2024). Business days are Monday to Friday; a holiday is a gap. Steps of a day or longer keep the time on the
// clock, so a day with daylight saving's 23 hours is one step; shorter ones are steps of time.
class INSTANTGP_EXPORT Calendar {
 public:
  Calendar() = default;
  // With a month as unit, `day_of_month` 1..31 is the day kept; 0: that of the first date.
  Calendar(CalendarStep step, Moment first, int day_of_month = 0);

  const CalendarStep& step() const { return step_; }
  const Moment& first() const { return first_; }
  int day_of_month() const { return day_of_month_; }  // that steps of months keep

  Moment At(std::int64_t position) const;  // `missing` outside the years 1 to 9999
  // Steps from the first date; false where the date is none of At(k).
  bool Find(const Moment& moment, std::int64_t& position) const;
  // The same for dates between two steps: At(k) is k, and half the time to the next is k + 1/2.
  double Position(const Moment& moment) const;

 private:
  Moment Unbounded(std::int64_t position) const;     // At, in any year
  std::int64_t StepMonths() const;                   // 0: not a step of months
  std::int64_t Nearest(const Moment& moment) const;  // the last k with At(k) <= moment

  CalendarStep step_;
  Moment first_;
  int day_of_month_ = 1;
};

struct CalendarGap {
  std::size_t after_row = 0;  // the row before the gap, in the order of time
  std::int64_t missing_steps = 0;
};

// What the dates of a column are like. Rows are counted from 0, in the order of the table.
struct INSTANTGP_EXPORT CalendarReport {
  bool regular = false;  // every date is some number of steps after the first; otherwise `why_not` says where it is not
  Calendar calendar;     // from the earliest date; where not regular, with the most frequent step
  std::string why_not;
  std::size_t odd_row = 0;

  std::vector<std::size_t> order;  // rows by time, equal times in the order of the table, without missing dates
  std::vector<std::int64_t>
      positions;          // one per row, in steps since the earliest; -1 off the grid and for missing dates
  bool ascending = true;  // the table is in the order of time
  bool reversed = false;  // the latest comes first
  std::vector<std::size_t> duplicates;  // rows with the date of an earlier row
  std::vector<CalendarGap> gaps;
  std::int64_t missing_steps = 0;  // in all gaps
  std::size_t missing_dates = 0;   // rows without a date

  // What a person should know: "12 dates are there twice, first 2020-01-05 in row 7". Empty for a tidy column.
  std::vector<std::string> Remarks(const DateForm& form, std::span<const Moment> moments) const;
};

// The step is the coarsest that all dates lie on: months before weeks before business days before days before hours. A
// grid counts as the step when it is the most frequent distance between neighbours, or when at least half of it is
// there. One date, or the same one again and again, has the step its precision says: a month for 2020-01; otherwise the
// report is not regular.
INSTANTGP_EXPORT CalendarReport FindCalendar(std::span<const Moment> moments, DatePrecision precision);

}  // namespace instantgp

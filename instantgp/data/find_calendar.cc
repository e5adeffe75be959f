// Which calendar a column of dates steps through.
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "instantgp/data/calendar.h"
#include "instantgp/data/civil.h"

namespace instantgp {

namespace {

// A grid that all dates lie on: their positions, ascending from 0, and the step.
struct DateGrid {
  CalendarStep step;
  int day_of_month = 0;
  std::vector<std::int64_t> positions;
};

// From positions in units to positions in steps of their greatest common divisor, which is returned.
std::int64_t Shorten(std::vector<std::int64_t>& units) {
  std::int64_t divisor = 0;
  const std::int64_t first = units.front();
  for (std::int64_t& unit : units) {
    unit -= first;
    divisor = std::gcd(divisor, unit);
  }
  for (std::int64_t& unit : units) unit /= divisor;
  return divisor;
}

// Whether a step of 1 is what these positions have in common, not just what divides their distances.
bool IsTheStep(const std::vector<std::int64_t>& positions) {
  if (2 * static_cast<std::int64_t>(positions.size()) >= positions.back() + 1) return true;
  std::map<std::int64_t, int> count;
  int most = 0;
  for (std::size_t i = 1; i < positions.size(); ++i) most = std::max(most, ++count[positions[i] - positions[i - 1]]);
  return most > 1 && count[1] == most;
}

// The distinct dates of a column in the order of time, taken apart.
class DistinctDates {
 public:
  explicit DistinctDates(std::vector<Moment> dates) : dates_(std::move(dates)) {
    for (const Moment& date : dates_) {
      days_.push_back(FloorDiv(date.local_us, kDayUs));
      same_clock_ =
          same_clock_ && date.local_us - days_.back() * kDayUs == dates_.front().local_us - days_.front() * kDayUs;
    }
    // Two instants on one local day (clocks differ): no calendar of days.
    for (std::size_t i = 1; i < days_.size(); ++i) same_clock_ = same_clock_ && days_[i] > days_[i - 1];
  }

  bool same_clock() const { return same_clock_; }

  std::optional<DateGrid> Months() const {
    bool all_last = true;
    int day_of_month = 1;
    std::vector<CivilDay> civil;
    for (const std::int64_t day : days_) {
      civil.push_back(CivilOf(day));
      all_last = all_last && civil.back().day == DaysInMonth(civil.back().year, civil.back().month);
      day_of_month = std::max(day_of_month, civil.back().day);
    }
    if (all_last) day_of_month = 31;
    DateGrid grid;
    for (const CivilDay& date : civil) {
      if (date.day != std::min(day_of_month, DaysInMonth(date.year, date.month))) return std::nullopt;
      grid.positions.push_back(12LL * date.year + date.month);
    }
    for (std::size_t i = 1; i < civil.size(); ++i) {
      if (grid.positions[i] == grid.positions[i - 1]) return std::nullopt;
    }
    const std::int64_t months = Shorten(grid.positions);
    grid.step = months % 12 == 0  ? CalendarStep{CalendarUnit::kYear, months / 12}
                : months % 3 == 0 ? CalendarStep{CalendarUnit::kQuarter, months / 3}
                                  : CalendarStep{CalendarUnit::kMonth, months};
    grid.day_of_month = day_of_month;
    return grid;
  }

  std::optional<DateGrid> Days() const {
    DateGrid grid{{}, 0, days_};
    const std::int64_t days = Shorten(grid.positions);
    grid.step = days % 7 == 0 ? CalendarStep{CalendarUnit::kWeek, days / 7} : CalendarStep{CalendarUnit::kDay, days};
    return grid;
  }

  // Only where the weekends between are seen to be left out.
  std::optional<DateGrid> BusinessDays() const {
    DateGrid grid;
    bool weekend_between = false;
    for (const std::int64_t day : days_) {
      if (WeekdayOf(day) > 5) return std::nullopt;
      const std::int64_t week = FloorDiv(day + 3, 7);
      weekend_between = weekend_between || week != FloorDiv(days_.front() + 3, 7);
      grid.positions.push_back(5 * week + WeekdayOf(day) - 1);
    }
    if (!weekend_between) return std::nullopt;
    grid.step = {CalendarUnit::kBusinessDay, Shorten(grid.positions)};
    return grid;
  }

  std::optional<DateGrid> Time() const {
    DateGrid grid;
    for (const Moment& date : dates_) grid.positions.push_back(date.utc_us());
    grid.step = OfTime(Shorten(grid.positions));
    return grid;
  }

  static CalendarStep OfTime(std::int64_t us) {
    constexpr std::pair<CalendarUnit, std::int64_t> kUnits[] = {{CalendarUnit::kWeek, 7 * kDayUs},
                                                                {CalendarUnit::kDay, kDayUs},
                                                                {CalendarUnit::kHour, 3'600'000'000},
                                                                {CalendarUnit::kMinute, 60'000'000},
                                                                {CalendarUnit::kSecond, 1'000'000}};
    for (const auto& [unit, length] : kUnits) {
      if (us % length == 0) return {unit, us / length};
    }
    return {CalendarUnit::kMicrosecond, us};
  }

 private:
  std::vector<Moment> dates_;
  std::vector<std::int64_t> days_;  // on their clocks
  bool same_clock_ = true;
};

std::optional<DateGrid> FindGrid(const DistinctDates& dates, DatePrecision precision) {
  std::vector<std::optional<DateGrid>> grids;
  if (dates.same_clock()) {
    grids.push_back(dates.Months());
    if (precision >= DatePrecision::kWeek) {
      const std::optional<DateGrid> days = dates.Days();
      if (days->step.unit == CalendarUnit::kWeek) grids.push_back(days);
      grids.push_back(dates.BusinessDays());
      grids.push_back(days);
    }
  }
  if (precision == DatePrecision::kTime && !dates.same_clock()) {
    std::optional<DateGrid> time = dates.Time();
    // Whole days by another clock than the one they are written by: 24 hours each.
    if (time->step.unit == CalendarUnit::kWeek) time->step = {CalendarUnit::kHour, 168 * time->step.count};
    if (time->step.unit == CalendarUnit::kDay) time->step = {CalendarUnit::kHour, 24 * time->step.count};
    grids.push_back(time);
  }
  for (std::optional<DateGrid>& grid : grids) {
    if (grid.has_value() && IsTheStep(grid->positions)) return grid;
  }
  return std::nullopt;
}

// The step one date alone can have: that of its precision.
std::optional<CalendarStep> StepOfPrecision(DatePrecision precision) {
  switch (precision) {
    case DatePrecision::kYear:
      return CalendarStep{CalendarUnit::kYear, 1};
    case DatePrecision::kQuarter:
      return CalendarStep{CalendarUnit::kQuarter, 1};
    case DatePrecision::kMonth:
      return CalendarStep{CalendarUnit::kMonth, 1};
    case DatePrecision::kWeek:
      return CalendarStep{CalendarUnit::kWeek, 1};
    default:
      return std::nullopt;
  }
}

}  // namespace

CalendarReport FindCalendar(std::span<const Moment> moments, DatePrecision precision) {
  CalendarReport report;
  for (std::size_t i = 0; i < moments.size(); ++i) {
    if (!moments[i].missing()) report.order.push_back(i);
  }
  report.missing_dates = moments.size() - report.order.size();
  report.positions.assign(moments.size(), -1);
  const auto earlier = [&](std::size_t a, std::size_t b) { return moments[a].utc_us() < moments[b].utc_us(); };
  report.ascending = std::is_sorted(report.order.begin(), report.order.end(), earlier);
  report.reversed = !report.ascending && std::is_sorted(report.order.rbegin(), report.order.rend(), earlier);
  std::stable_sort(report.order.begin(), report.order.end(), earlier);

  std::vector<Moment> distinct;
  std::vector<std::size_t> first_row, index_of(moments.size(), 0);
  for (const std::size_t row : report.order) {
    if (!distinct.empty() && moments[row].utc_us() == distinct.back().utc_us()) {
      report.duplicates.push_back(row);
    } else {
      distinct.push_back(moments[row]);
      first_row.push_back(row);
    }
    index_of[row] = distinct.size() - 1;
  }
  std::sort(report.duplicates.begin(), report.duplicates.end());
  if (distinct.empty()) {
    report.why_not = "there is no date";
    return report;
  }
  if (distinct.size() == 1) {
    const std::optional<CalendarStep> step = StepOfPrecision(precision);
    report.regular = step.has_value();
    report.calendar = Calendar(step.value_or(CalendarStep{}), distinct.front());
    if (!report.regular) report.why_not = "one date does not say how far the next one is";
    for (const std::size_t row : report.order) report.positions[row] = 0;
    return report;
  }

  const DistinctDates dates(distinct);
  const std::optional<DateGrid> grid = FindGrid(dates, precision);
  if (grid.has_value()) {
    report.regular = true;
    report.calendar = Calendar(grid->step, distinct.front(), grid->day_of_month);
    for (const std::size_t row : report.order) report.positions[row] = grid->positions[index_of[row]];
    for (std::size_t k = 1; k < distinct.size(); ++k) {
      const std::int64_t missing = grid->positions[k] - grid->positions[k - 1] - 1;
      if (missing > 0) report.gaps.push_back({first_row[k - 1], missing});
      report.missing_steps += missing;
    }
    return report;
  }

  // The most frequent distance, the shorter of two; the first date that is none of its steps away is the odd one.
  std::map<std::int64_t, int> count;
  for (std::size_t k = 1; k < distinct.size(); ++k) ++count[distinct[k].utc_us() - distinct[k - 1].utc_us()];
  const auto most =
      std::max_element(count.begin(), count.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  CalendarStep step = DistinctDates::OfTime(most->first);
  report.calendar = Calendar(step, distinct.front());
  bool odd_found = false;
  for (std::size_t k = 0; k < distinct.size(); ++k) {
    std::int64_t position = 0;
    if (report.calendar.Find(distinct[k], position)) {
      report.positions[first_row[k]] = position;
    } else if (!odd_found) {
      odd_found = true;
      report.odd_row = first_row[k];
    }
  }
  for (const std::size_t row : report.duplicates) report.positions[row] = report.positions[first_row[index_of[row]]];
  report.why_not = "the dates have no common step; the most frequent is " + step.Words();
  return report;
}

}  // namespace instantgp

#include "apps/cli/report/date_axis.h"

#include <cstdint>
#include <cstdio>
#include <iterator>

#include "instantgp/data/civil.h"
#include "instantgp/model/spoken_columns.h"

namespace instantgp::cli {
namespace {

struct TickStep {
  double days;
  int months;  // 0: steps of `us`
  std::int64_t us;
  enum { kSecond, kMinute, kDayAndMinute, kDay, kMonth, kYear } shown;
};

constexpr std::int64_t kHourUs = 3'600'000'000;
constexpr TickStep kTickSteps[] = {
    {1 / 86400.0, 0, 1'000'000, TickStep::kSecond},
    {10 / 86400.0, 0, 10'000'000, TickStep::kSecond},
    {1 / 1440.0, 0, 60'000'000, TickStep::kMinute},
    {10 / 1440.0, 0, 600'000'000, TickStep::kMinute},
    {1 / 24.0, 0, kHourUs, TickStep::kMinute},
    {6 / 24.0, 0, 6 * kHourUs, TickStep::kDayAndMinute},
    {1, 0, kDayUs, TickStep::kDay},
    {2, 0, 2 * kDayUs, TickStep::kDay},
    {7, 0, 7 * kDayUs, TickStep::kDay},
    {14, 0, 14 * kDayUs, TickStep::kDay},
    {30.4, 1, 0, TickStep::kMonth},
    {91.3, 3, 0, TickStep::kMonth},
    {182.6, 6, 0, TickStep::kMonth},
    {365.2, 12, 0, TickStep::kYear},
    {730.5, 24, 0, TickStep::kYear},
    {1826.2, 60, 0, TickStep::kYear},
    {3652.4, 120, 0, TickStep::kYear},
    {7304.8, 240, 0, TickStep::kYear},
    {18262.1, 600, 0, TickStep::kYear},
    {36524.2, 1200, 0, TickStep::kYear},
    {182621.2, 6000, 0, TickStep::kYear},
};

// The first round date at or after a moment, and the one after that.
Moment RoundDate(const TickStep& step, const Moment& after, int number) {
  if (step.months == 0) {
    // Weeks begin on Monday: 5 January 1970 was one.
    const std::int64_t origin = step.us >= 7 * kDayUs ? 4 * kDayUs : 0;
    const std::int64_t k = -FloorDiv(-(after.local_us - origin), step.us) + number;
    return {origin + k * step.us, after.offset_minutes};
  }
  const CivilDay day = CivilOf(FloorDiv(after.local_us - 1, kDayUs));
  const std::int64_t month = (FloorDiv(12LL * day.year + day.month - 1, step.months) + 1 + number) * step.months;
  const int year = static_cast<int>(FloorDiv(month, 12));
  if (year < 1 || year > 9999) return {};
  return {DayNumber(year, static_cast<int>(month - 12LL * year) + 1, 1) * kDayUs, after.offset_minutes};
}

std::string TickText(const TickStep& step, const Moment& at) {
  const CivilDay day = CivilOf(FloorDiv(at.local_us, kDayUs));
  const int second = static_cast<int>((at.local_us - FloorDiv(at.local_us, kDayUs) * kDayUs) / 1'000'000);
  const std::string month(kMonthNames[static_cast<std::size_t>(day.month - 1)].substr(0, 3));
  char clock[16];
  std::snprintf(clock, sizeof clock, "%02d:%02d", second / 3600, second / 60 % 60);
  switch (step.shown) {
    case TickStep::kSecond:
      return clock + (":" + std::to_string(100 + second % 60).substr(1));
    case TickStep::kMinute:
      return clock;
    case TickStep::kDayAndMinute:
      return std::to_string(day.day) + " " + month + " " + clock;
    case TickStep::kDay:
      return std::to_string(day.day) + " " + month;
    case TickStep::kMonth:
      return month + " " + std::to_string(day.year);
    case TickStep::kYear:
      break;
  }
  return std::to_string(day.year);
}

}  // namespace

std::vector<std::pair<double, std::string>> DateTicks(const Calendar& calendar, double low, double high, int most) {
  const double unit = calendar.step().MeanDays();
  const TickStep* step = std::end(kTickSteps) - 1;
  for (const TickStep& finer : kTickSteps) {
    if ((high - low) * unit / finer.days <= most) {
      step = &finer;
      break;
    }
  }
  std::vector<std::pair<double, std::string>> ticks;
  const Moment from = MomentOfDays(DaysOf(calendar.first()) + low * unit, calendar.first().offset_minutes);
  if (from.missing()) return ticks;
  for (int k = 0; k <= 2 * most; ++k) {
    const Moment at = RoundDate(*step, from, k);
    if (at.missing()) break;
    const double place = calendar.Position(at);
    if (place > high) break;
    if (place >= low) ticks.emplace_back(place, TickText(*step, at));
  }
  return ticks;
}

void LabelX(plot::Axes& axes, const Recipe* recipe, const std::vector<std::string>& names, int input, double low,
            double high, int most) {
  axes.XLabel(names[static_cast<std::size_t>(input)]);
  const ColumnRecipe* const column = ColumnOfInput(recipe, input);
  if (column != nullptr && !UnitOfInput(recipe, input).empty())
    axes.XTicks(DateTicks(column->calendar, low, high, most));
}

}  // namespace instantgp::cli

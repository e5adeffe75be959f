// What a person should know about the dates of a column, in words.
#include "instantgp/data/calendar.h"

namespace instantgp {

std::vector<std::string> CalendarReport::Remarks(const DateForm& form, std::span<const Moment> moments) const {
  const auto shown = [&](std::size_t row) {
    return "'" + DateText(form, moments[row]) + "' in row " + std::to_string(row + 1);
  };
  const auto some = [](std::size_t count, const std::string& one, const std::string& many) {
    return count == 1 ? "one " + one : std::to_string(count) + " " + many;
  };
  std::vector<std::string> remarks;
  if (missing_dates > 0) remarks.push_back(some(missing_dates, "row has no date", "rows have no date"));
  if (reversed) {
    remarks.emplace_back("the latest date comes first");
  } else if (!ascending) {
    remarks.emplace_back("the rows are not in the order of time");
  }
  if (!duplicates.empty()) {
    remarks.push_back(some(duplicates.size(), "row repeats a date", "rows repeat a date") + ", first " +
                      shown(duplicates.front()));
    if (calendar.step().unit < CalendarUnit::kDay && form.format.find("%z") == std::string::npos) {
      remarks.emplace_back(
          "the times have no offset from UTC: where clocks were set back an hour is there twice; write times as "
          "2020-10-25T02:00+01:00");
    }
  }
  if (!gaps.empty()) {
    const std::int64_t missing = missing_steps;
    remarks.push_back((missing == 1 ? "one step is missing" : std::to_string(missing) + " steps are missing") +
                      ", first after " + shown(gaps.front().after_row));
  }
  if (!regular && !order.empty()) {
    remarks.push_back(why_not +
                      (order.size() > 1 ? " and " + shown(odd_row) + " is none of its steps from the first" : ""));
  }
  if (form.mixed_offsets) remarks.emplace_back("the offsets from UTC differ; all times are compared in UTC");
  return remarks;
}

}  // namespace instantgp

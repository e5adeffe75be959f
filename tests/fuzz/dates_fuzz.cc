// Dates: columns of them, formats, steps of calendars and lengths of time. One cell a line; a first line with a percent
// sign is the format.
#include <cmath>
#include <string>
#include <vector>

#include "instantgp/data/calendar.h"
#include "instantgp/data/date.h"
#include "instantgp/data/date_column.h"
#include "instantgp/data/time_length.h"
#include "tests/fuzz/door.h"

namespace instantgp::fuzz {
namespace {

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

void CheckCalendar(const DateColumn& column, DatePrecision precision) {
  const CalendarReport report = FindCalendar(column.moments, precision);
  report.Remarks(column.form, column.moments);
  report.calendar.step().Words();
  for (std::size_t i = 0; i < column.moments.size(); ++i) {
    const Moment& moment = column.moments[i];
    if (moment.missing()) continue;
    const double position = report.calendar.Position(moment);
    Require(std::isfinite(position), "a date without a place in its calendar");
    if (!report.regular) continue;
    std::int64_t found = 0;
    Require(report.calendar.Find(moment, found) && found == report.positions[i], "a regular date that is not found");
    Require(position == static_cast<double>(found), "a date whose place is not its step");
  }
  for (const std::int64_t k : {std::int64_t{1}, std::int64_t{-1}, std::int64_t{100'000}, INT64_MAX, INT64_MIN}) {
    report.calendar.At(k);
  }
}

void CheckColumn(const std::vector<std::string_view>& cells, std::string_view format) {
  DateColumn column;
  if (!Accepts([&] { column = ReadDates(cells, format); })) return;
  if (column.verdict != DateVerdict::kDates) {
    Require(column.verdict == DateVerdict::kNoDates || !column.message.empty(), "a cell is refused without a message");
    return;
  }
  Require(column.moments.size() == cells.size(), "cells without a moment");
  const DateFormat as_written(column.form.format);
  for (const Moment& moment : column.moments) {
    if (moment.missing()) continue;
    const Moment near = MomentOfDays(DaysOf(moment), moment.offset_minutes);
    Require(!near.missing() && std::abs(static_cast<double>(near.utc_us() - moment.utc_us())) <= 64,
            "a date changes on its way through days");
    const DateReading again = ReadDate(column.form, DateText(column.form, moment));
    Require(again.problem != DateProblem::kOtherForm || !column.form.also_format.empty(),
            "a date cannot be read as it was written: " + DateText(column.form, moment));
  }
  CheckCalendar(column, as_written.precision());
}

void DatesDoor(std::string_view bytes) {
  std::vector<std::string_view> cells = LinesOf(bytes);
  if (cells.empty()) return;
  Accepts([&] { Require(!std::isnan(ReadTimeLength(cells.front())), "a length of time that is no number"); });
  if (cells.front().find('%') == std::string_view::npos) return CheckColumn(cells, {});
  const std::string_view format = cells.front();
  cells.erase(cells.begin());
  CheckColumn(cells, format);
}

}  // namespace

INSTANTGP_DOOR(dates, DatesDoor)

}  // namespace instantgp::fuzz

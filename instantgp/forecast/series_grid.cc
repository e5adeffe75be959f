// A series' rows to values one step apart.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/data/csv_number.h"
#include "instantgp/forecast/series_table.h"

namespace instantgp {
namespace {

constexpr std::int64_t kMostSteps = 10'000'000;  // a grid of more is a mistake in the times

std::string TimeDigits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", value);
  return text;
}

std::string Counted(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

// Values at their places, the mean of those that share one. Says what it met.
void Fill(const std::vector<std::pair<std::int64_t, double>>& placed, TimedSeries& series) {
  std::int64_t last = 0;
  for (const auto& [place, value] : placed) last = std::max(last, place);
  std::vector<int> count(static_cast<std::size_t>(last) + 1, 0);
  series.values.assign(count.size(), 0.0);
  std::size_t duplicates = 0, missing = 0;
  for (const auto& [place, value] : placed) {
    if (std::isnan(value)) continue;
    const auto k = static_cast<std::size_t>(place);
    duplicates += count[k] > 0 ? 1 : 0;
    ++count[k];
    series.values[k] += (value - series.values[k]) / count[k];
  }
  for (std::size_t k = 0; k < count.size(); ++k) {
    if (count[k] > 0) continue;
    series.values[k] = std::numeric_limits<double>::quiet_NaN();
    ++missing;
  }
  if (duplicates > 0) {
    series.notes.push_back(Counted(duplicates, "row repeats a time", "rows repeat a time") + "; their mean is used");
  }
  if (missing > 0) series.notes.push_back(Counted(missing, "step has no value", "steps have no value"));
}

}  // namespace

std::vector<double> SeasonsOf(const CalendarStep& step) {
  const double count = static_cast<double>(step.count);
  std::vector<double> periods;
  switch (step.unit) {
    case CalendarUnit::kMicrosecond:
    case CalendarUnit::kSecond:
      break;
    case CalendarUnit::kMinute:
      periods = {1440 / count, 10080 / count};
      break;
    case CalendarUnit::kHour:
      periods = {24 / count, 168 / count};
      break;
    case CalendarUnit::kDay:
      periods = {7 / count, 365.25 / count};
      break;
    case CalendarUnit::kBusinessDay:
      periods = {5 / count, 260.9 / count};
      break;
    case CalendarUnit::kWeek:
      periods = {52.18 / count};
      break;
    case CalendarUnit::kMonth:
      periods = {12 / count};
      break;
    case CalendarUnit::kQuarter:
      periods = {4 / count};
      break;
    case CalendarUnit::kYear:
      break;
  }
  std::erase_if(periods, [](double period) { return period < 2; });
  return periods;
}

std::string TimedSeries::TimeText(int place) const {
  if (calendar) return DateText(form, calendar->At(place));
  return TimeDigits(first + distance * place);
}

TimedSeries SeriesTable::Series(std::size_t index) const {
  const Group& group = groups_[index];
  TimedSeries series;
  series.key = group.key;
  std::vector<std::string> texts;  // the rows' times point into them
  std::vector<Row> rows;
  std::vector<CsvCell> cells;
  texts.reserve(group.runs.size());
  for (const Run& run : group.runs) {
    CsvLexer lexer(texts.emplace_back(text_.Read(run.begin, run.end - run.begin)), separator_);
    while (lexer.Next(cells)) {
      // Checked when the table was indexed; a file that was changed since may hold anything.
      if (cells.size() <= static_cast<std::size_t>(std::max(time_column_, target_column_))) {
        throw Error(ErrorCode::kBadInput, "the table was changed while it was read; run again when it is complete");
      }
      const CellValue value = ReadCell(cells[static_cast<std::size_t>(target_column_)].raw, separator_ == ';');
      rows.push_back({has_times_ ? cells[static_cast<std::size_t>(time_column_)].raw : std::string_view(),
                      value.kind == CellKind::kNumber ? value.value : std::numeric_limits<double>::quiet_NaN()});
    }
  }
  series.rows = rows.size();
  if (!has_times_) {
    series.first = 1;
    series.step = "1";
    for (const Row& row : rows) series.values.push_back(row.value);
  } else if (has_dates_) {
    PlaceOnCalendar(rows, series);
  } else {
    PlaceOnNumbers(rows, series);
  }
  return series;
}

void SeriesTable::PlaceOnCalendar(const std::vector<Row>& rows, TimedSeries& series) const {
  series.form = form_;
  std::vector<Moment> moments;
  for (const Row& row : rows) {
    const DateReading reading = ReadDate(form_, row.time);
    const bool missing = ReadCell(row.time, false).kind == CellKind::kMissing;
    if (!missing && reading.problem != DateProblem::kNone) {
      series.problem = "the time \"" + std::string(row.time) + "\" is not written as the others";
      return;
    }
    moments.push_back(missing ? Moment() : reading.moment);
  }
  const CalendarReport report = FindCalendar(moments, precision_);
  if (!report.regular) {
    series.problem = report.why_not.empty() ? "its dates have no regular step" : report.why_not;
    return;
  }
  series.calendar = report.calendar;
  series.step = report.calendar.step().Words();
  series.seasons = SeasonsOf(report.calendar.step());
  std::vector<std::pair<std::int64_t, double>> placed;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (report.positions[i] < 0) continue;
    if (report.positions[i] > kMostSteps) {
      series.problem = "its dates are more than ten million steps apart";
      return;
    }
    placed.emplace_back(report.positions[i], rows[i].value);
  }
  if (!report.ascending) series.notes.emplace_back("the rows were sorted by time");
  if (report.missing_dates > 0) {
    series.notes.push_back(Counted(report.missing_dates, "row has no date and was", "rows have no date and were") +
                           " left out");
  }
  Fill(placed, series);
}

void SeriesTable::PlaceOnNumbers(const std::vector<Row>& rows, TimedSeries& series) const {
  std::vector<std::pair<double, double>> timed;
  bool ascending = true;
  for (const Row& row : rows) {
    CellValue time = ReadCell(row.time, false);
    if (time.kind == CellKind::kText) time = ReadCell(row.time, true);
    if (time.kind != CellKind::kNumber) {
      series.problem = "the time \"" + std::string(row.time) + "\" is not a number as the others";
      return;
    }
    ascending = ascending && (timed.empty() || timed.back().first <= time.value);
    timed.emplace_back(time.value, row.value);
  }
  std::stable_sort(timed.begin(), timed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  double distance = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < timed.size(); ++i) {
    const double between = timed[i].first - timed[i - 1].first;
    if (between > 0) distance = std::min(distance, between);
  }
  if (!std::isfinite(distance)) distance = 1;
  series.first = timed.front().first;
  series.distance = distance;
  series.step = TimeDigits(distance);
  std::vector<std::pair<std::int64_t, double>> placed;
  for (const auto& [time, value] : timed) {
    const double steps = (time - series.first) / distance, nearest = std::round(steps);
    if (std::abs(steps - nearest) > 1e-3 || nearest > static_cast<double>(kMostSteps)) {
      series.problem = "its times have no regular step: " + TimeDigits(time) + " is not a whole number of steps of " +
                       TimeDigits(distance) + " after " + TimeDigits(series.first);
      return;
    }
    placed.emplace_back(static_cast<std::int64_t>(nearest), value);
  }
  if (!ascending) series.notes.emplace_back("the rows were sorted by time");
  Fill(placed, series);
}

}  // namespace instantgp

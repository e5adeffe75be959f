// One table, many series: rows of (keys, time, value) to series on the steps of their calendar.
//
//   month,shop,sales
//   2019-01,Aachen,120
//
// Times are dates (data/date_column.h) or numbers. The step of each series is found from its times; seasons follow from
// the step: 12 for months, 4 for quarters, 7 and 365.25 for days.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "instantgp/base/export.h"
#include "instantgp/data/calendar.h"
#include "instantgp/data/date_column.h"
#include "instantgp/data/table_text.h"

namespace instantgp {

struct INSTANTGP_EXPORT SeriesTableOptions {
  std::string time;             // name or 1-based number; empty: the first column of dates, else the first that is free
  std::string target;           // empty: the last column that is free
  std::vector<std::string> by;  // columns that tell series apart; empty: the table is one series
  std::string date_format;      // empty: found out
};

// A series on its grid.
struct INSTANTGP_EXPORT TimedSeries {
  std::vector<std::string> key;
  std::vector<double> values;  // one step apart; NaN where the table has none
  std::vector<double> seasons;
  std::string step;                // "monthly", "1", ...
  std::string problem;             // why it cannot be forecast; empty: it can
  std::vector<std::string> notes;  // gaps filled, duplicates averaged, order changed
  std::size_t rows = 0;

  // How the table would write the time of a place in `values`, or of one behind its end.
  std::string TimeText(int place) const;

  DateForm form;  // of dates
  std::optional<Calendar> calendar;
  double first = 0, distance = 1;  // of numbers
};

class INSTANTGP_EXPORT SeriesTable {
 public:
  // Throws Error(kBadInput) naming line, column and remedy: a column that is not there, a value that is no number,
  // times that are neither dates nor numbers, ragged rows. `origin` is the file's name for messages.
  static SeriesTable Parse(std::string text, const std::string& origin, const SeriesTableOptions& options = {});
  static SeriesTable Read(const std::string& path, const SeriesTableOptions& options = {});

  std::size_t size() const { return groups_.size(); }
  std::size_t rows() const { return row_count_; }
  const std::string& time_name() const { return time_name_; }
  const std::string& target_name() const { return target_name_; }
  const std::vector<std::string>& by_names() const { return by_names_; }
  bool has_dates() const { return has_dates_; }

  // In the order in which they first appear. Const and thread-safe: each is read and put on its grid when it is asked
  // for, so that a table on disk takes memory for its keys alone.
  const std::vector<std::string>& Key(std::size_t series) const { return groups_[series].key; }
  TimedSeries Series(std::size_t series) const;

 private:
  struct Row {
    std::string_view time;
    double value = 0;  // NaN: missing
  };
  // Where the rows of a series stand: one run where they are together, which costs the same for any number of rows.
  struct Run {
    std::uint64_t begin = 0, end = 0;
  };
  struct Group {
    std::vector<std::string> key;
    std::vector<Run> runs;
  };

  static SeriesTable Index(TableText text, const std::string& origin, const SeriesTableOptions& options);
  void PlaceOnCalendar(const std::vector<Row>& rows, TimedSeries& series) const;
  void PlaceOnNumbers(const std::vector<Row>& rows, TimedSeries& series) const;

  TableText text_;
  char separator_ = ',';
  int time_column_ = -1, target_column_ = -1;
  std::vector<Group> groups_;
  std::size_t row_count_ = 0;
  std::string time_name_, target_name_;
  std::vector<std::string> by_names_;
  bool has_dates_ = false;
  bool has_times_ = true;
  DateForm form_;
  DatePrecision precision_ = DatePrecision::kDay;
};

// Periods in steps: what people and their machines do again and again.
INSTANTGP_EXPORT std::vector<double> SeasonsOf(const CalendarStep& step);

}  // namespace instantgp

// Columns of dates as people have them, each with what must become of it.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "instantgp/base/error.h"
#include "instantgp/data/calendar.h"
#include "instantgp/data/date_column.h"

namespace instantgp {
namespace {

// "FORMAT | STEP | first in UTC | next in the form of the column" and remarks in brackets, or what was refused.
std::string Outcome(const std::vector<std::string_view>& cells, std::string_view format) {
  const DateColumn column = ReadDates(cells, format);
  switch (column.verdict) {
    case DateVerdict::kNoDates:
      return "no dates";
    case DateVerdict::kOddCell:
      return "odd " + std::to_string(column.cell) + ": " + column.message;
    case DateVerdict::kAmbiguous:
      return "ambiguous " + std::to_string(column.cell) + ": " + column.message;
    case DateVerdict::kDates:
      break;
  }
  const DateFormat read(column.form.format);
  const CalendarReport report = FindCalendar(column.moments, read.precision());
  const Moment first = report.calendar.first();
  std::string text = column.form.format + " | " + (report.regular ? report.calendar.step().Words() : "no step") + " | ";
  text += DateFormat("%Y-%m-%dT%H:%M:%S%z").Write({first.utc_us(), 0}, {0, false, "Z"}) + " | ";
  if (report.regular) {
    const std::size_t last = report.order.back();
    Moment next = report.calendar.At(report.positions[last] + 1);
    text += DateText(column.form, next);
  }
  for (const std::string& remark : report.Remarks(column.form, column.moments)) text += " [" + remark + "]";
  return text;
}

struct Exhibit {
  std::vector<std::string_view> cells;
  std::string expected;  // the whole outcome; with "..." at its end, its beginning
  std::string format = "";
};

void Check(const std::vector<Exhibit>& exhibits) {
  for (const Exhibit& exhibit : exhibits) {
    const std::string outcome = Outcome(exhibit.cells, exhibit.format);
    if (exhibit.expected.ends_with("...")) {
      const std::string start = exhibit.expected.substr(0, exhibit.expected.size() - 3);
      EXPECT_EQ(outcome.substr(0, start.size()), start) << exhibit.cells.front() << "\n" << outcome;
    } else {
      EXPECT_EQ(outcome, exhibit.expected) << exhibit.cells.front();
    }
  }
}

TEST(DateZoo, Forms) {
  Check({
      {{"2020-01", "2020-02", "2020-03"}, "%Y-%m | monthly | 2020-01-01T00:00:00Z | 2020-04"},
      {{"2020-1", "2020-2"}, "%Y-%-m | monthly | 2020-01-01T00:00:00Z | 2020-3"},
      {{"2020/11", "2020/12"}, "%Y/%m | monthly | 2020-11-01T00:00:00Z | 2021/01"},
      {{"11/2020", "12/2020"}, "%m/%Y | monthly | 2020-11-01T00:00:00Z | 01/2021"},
      {{"2020M11", "2020M12"}, "%YM%m | monthly | 2020-11-01T00:00:00Z | 2021M01"},
      {{"Nov 2020", "Dec 2020"}, "%b %Y | monthly | 2020-11-01T00:00:00Z | Jan 2021"},
      {{"NOV-2020", "DEC-2020"}, "%b-%Y | monthly | 2020-11-01T00:00:00Z | JAN-2021"},
      {{"March 2020", "April 2020", "May 2020"}, "%B %Y | monthly | 2020-03-01T00:00:00Z | June 2020"},
      {{"2020Q3", "2020Q4"}, "%YQ%q | quarterly | 2020-07-01T00:00:00Z | 2021Q1"},
      {{"2020-Q3", "2020-Q4"}, "%Y-Q%q | quarterly | 2020-07-01T00:00:00Z | 2021-Q1"},
      {{"Q4 2019", "Q1 2020"}, "Q%q %Y | quarterly | 2019-10-01T00:00:00Z | Q2 2020"},
      {{"2020-W52", "2020-W53", "2021-W01"}, "%G-W%V | weekly | 2020-12-21T00:00:00Z | 2021-W02"},
      {{"2020-W01-1", "2020-W01-2"}, "%G-W%V-%u | daily | 2019-12-30T00:00:00Z | 2020-W01-3"},
      {{"2020-365", "2020-366", "2021-001"}, "%Y-%j | daily | 2020-12-30T00:00:00Z | 2021-002"},
      {{"2020-01-30", "2020-01-31"}, "%Y-%m-%d | daily | 2020-01-30T00:00:00Z | 2020-02-01"},
      {{"2020/01/30", "2020/01/31"}, "%Y/%m/%d | daily | 2020-01-30T00:00:00Z | 2020/02/01"},
      {{"30.01.2020", "31.01.2020"}, "%d.%m.%Y | daily | 2020-01-30T00:00:00Z | 01.02.2020"},
      {{"8.1.2020", "9.1.2020", "10.1.2020"}, "%-d.%-m.%Y | daily | 2020-01-08T00:00:00Z | 11.1.2020"},
      {{"30 Jan 2020", "31 Jan 2020"}, "%d %b %Y | daily | 2020-01-30T00:00:00Z | 01 Feb 2020"},
      {{"Jan 30, 2020", "Jan 31, 2020"}, "%b %d, %Y | daily | 2020-01-30T00:00:00Z | Feb 01, 2020"},
      {{"30JAN2020", "31JAN2020"}, "%d%b%Y | daily | 2020-01-30T00:00:00Z | 01FEB2020"},
      {{"2020-01-31T22:00", "2020-01-31T23:00"}, "%Y-%m-%dT%H:%M | hourly | 2020-01-31T22:00:00Z | 2020-02-01T00:00"},
      {{"2020-01-31 9:00", "2020-01-31 9:15"},
       "%Y-%m-%d %-H:%M | every 15 minutes | 2020-01-31T09:00:00Z | 2020-01-31 9:30"},
      {{"2020-01-31T22", "2020-01-31T23"}, "%Y-%m-%dT%H | hourly | 2020-01-31T22:00:00Z | 2020-02-01T00"},
      {{"01/31/2020 11:00 PM", "02/01/2020 12:00 AM", "02/01/2020 01:00 AM"},
       "%m/%d/%Y %I:%M %p | hourly | 2020-01-31T23:00:00Z | 02/01/2020 02:00 AM"},
      {{"20200131T220000Z", "20200131T230000Z"}, "%Y%m%dT%H%M%S%z | hourly | 2020-01-31T22:00:00Z | 20200201T000000Z"},
      // Python leaves a fraction of zero out.
      {{"2020-01-31T12:00:00", "2020-01-31T12:00:00.250000", "2020-01-31T12:00:00.500000"},
       "%Y-%m-%dT%H:%M:%S | every 250000 microseconds | 2020-01-31T12:00:00Z | 2020-01-31T12:00:00.750000"},
      {{"2020-01-31 12:00:00.000000000", "2020-01-31 12:00:01.000000000"},
       "%Y-%m-%d %H:%M:%S | every second | 2020-01-31T12:00:00Z | 2020-01-31 12:00:02.000000"},
      {{"0001-01-01", "0001-01-02"}, "%Y-%m-%d | daily | 0001-01-01T00:00:00Z | 0001-01-03"},
  });
}

TEST(DateZoo, OrderOfDayAndMonth) {
  Check({
      {{"01/12/2020", "01/13/2020"}, "%m/%d/%Y | daily | 2020-01-12T00:00:00Z | 01/14/2020"},
      {{"12/01/2020", "13/01/2020"}, "%d/%m/%Y | daily | 2020-01-12T00:00:00Z | 14/01/2020"},
      {{"12-01-2020", "13-01-2020"}, "%d-%m-%Y | daily | 2020-01-12T00:00:00Z | 14-01-2020"},
      {{"01/02/2020", "02/02/2020"},
       "ambiguous 0: '01/02/2020' may be 1 February 2020 (%d/%m/%Y) or 2 January 2020 (%m/%d/%Y), and no other row "
       "decides; "
       "say the format"},
      {{"01/02/2020", "02/02/2020"}, "%d/%m/%Y | daily | 2020-02-01T00:00:00Z | 03/02/2020", "%d/%m/%Y"},
      {{"01/02/2020", "02/02/2020"}, "%m/%d/%Y | monthly | 2020-01-02T00:00:00Z | 03/02/2020", "%m/%d/%Y"},
      // Both orders say the same.
      {{"01/01/2020", "01/01/2021"}, "%d/%m/%Y | yearly | 2020-01-01T00:00:00Z | 01/01/2022"},
      {{"13/01/2020", "01/13/2020"}, "odd 1: '01/13/2020' has the form of a date, but there is no such day..."},
  });
}

TEST(DateZoo, TwoDigitYears) {
  Check({
      {{"30.01.20", "31.01.20"},
       "ambiguous 0: '30.01.20' has a year of two digits: it may be 30 January 2020 (%d.%m.%y) or the same day in "
       "1920..."},
      {{"01/02/03"},
       "ambiguous 0: '01/02/03' has a year of two digits: it may be 2 January 2003 (%m/%d/%y) or 1 February 2003..."},
      {{"Jan-20", "Feb-20"}, "ambiguous 0: 'Jan-20' has a year of two digits..."},
      {{"30.01.20", "31.01.20"}, "%d.%m.%y | daily | 2020-01-30T00:00:00Z | 01.02.20", "%d.%m.%y"},
      {{"31.12.69", "31.12.68"}, "%d.%m.%y | every 99 years | 1969-12-31T00:00:00Z | 31.12.67", "%d.%m.%y"},
  });
}

TEST(DateZoo, Numbers) {
  Check({
      {{"20200130", "20200131"}, "no dates"},
      {{"20200130", "20200131"}, "%Y%m%d | daily | 2020-01-30T00:00:00Z | 20200201", "%Y%m%d"},
      {{"2019", "2020"}, "no dates"},
      {{"2019", "2020"}, "%Y | yearly | 2019-01-01T00:00:00Z | 2021", "%Y"},
      {{"201911", "201912"}, "%Y%m | monthly | 2019-11-01T00:00:00Z | 202001", "%Y%m"},
      {{"12:30", "12:45"}, "no dates"},
      {{"Paris", "Rome", "2020-01-01"}, "no dates"},
      {{"", "NA", "?"}, "no dates"},
  });
}

TEST(DateZoo, LeapDaysAndMonthEnds) {
  Check({
      {{"2020-02-28", "2020-02-29"}, "%Y-%m-%d | daily | 2020-02-28T00:00:00Z | 2020-03-01"},
      {{"2021-02-28", "2021-02-29"}, "odd 1: '2021-02-29' has the form of a date, but there is no such day..."},
      {{"1900-02-28", "1900-02-29"}, "odd 1: '1900-02-29' has the form of a date, but there is no such day..."},
      {{"2000-02-28", "2000-02-29"}, "%Y-%m-%d | daily | 2000-02-28T00:00:00Z | 2000-03-01"},
      {{"2020-02-29", "2021-02-28", "2022-02-28", "2023-02-28"},
       "%Y-%m-%d | yearly | 2020-02-29T00:00:00Z | 2024-02-29"},
      {{"2016-02-29", "2020-02-29"}, "%Y-%m-%d | every 4 years | 2016-02-29T00:00:00Z | 2024-02-29"},
      {{"2019-12-31", "2020-01-31"}, "%Y-%m-%d | monthly | 2019-12-31T00:00:00Z | 2020-02-29"},
      {{"2020-02-29", "2020-03-31", "2020-04-30"}, "%Y-%m-%d | monthly | 2020-02-29T00:00:00Z | 2020-05-31"},
      {{"2020-01-30", "2020-02-29", "2020-03-30"}, "%Y-%m-%d | monthly | 2020-01-30T00:00:00Z | 2020-04-30"},
      {{"2019-12-30", "2020-01-30"}, "%Y-%m-%d | monthly | 2019-12-30T00:00:00Z | 2020-02-29"},
      {{"31.03.2020", "30.06.2020", "30.09.2020"}, "%d.%m.%Y | quarterly | 2020-03-31T00:00:00Z | 31.12.2020"},
      {{"2020-04-31"}, "odd 0: '2020-04-31' has the form of a date, but there is no such day..."},
      {{"2020-13-01"}, "odd 0: '2020-13-01' has the form of a date, but there is no such day..."},
      {{"2020-00-01"}, "odd 0: '2020-00-01' has the form of a date, but there is no such day..."},
      {{"2021-W53"}, "odd 0: '2021-W53' has the form of a date, but there is no such day..."},
      {{"2020Q5"}, "odd 0: '2020Q5' has the form of a date, but there is no such day..."},
      {{"2019-366"}, "odd 0: '2019-366' has the form of a date, but there is no such day..."},
      {{"2020-01-31T24:00"}, "odd 0: '2020-01-31T24:00' has the form of a time, but there is no such time of day..."},
      {{"2016-12-31T23:59:60Z"},
       "odd 0: '2016-12-31T23:59:60Z' has the form of a time, but there is no such time of day..."},
  });
}

TEST(DateZoo, OffsetsAndDaylightSaving) {
  Check({
      {{"2020-01-31T12:00Z", "2020-01-31T13:00Z"},
       "%Y-%m-%dT%H:%M%z | hourly | 2020-01-31T12:00:00Z | 2020-01-31T14:00Z"},
      {{"2020-01-31 12:00:00+01:00", "2020-01-31 13:00:00+01:00"},
       "%Y-%m-%d %H:%M:%S%z | hourly | 2020-01-31T11:00:00Z | 2020-01-31 14:00:00+01:00"},
      {{"2020-01-31T12:00-0330", "2020-01-31T13:00-0330"},
       "%Y-%m-%dT%H:%M%z | hourly | 2020-01-31T15:30:00Z | 2020-01-31T14:00-0330"},
      {{"2020-01-31 12:00:00 UTC", "2020-01-31 13:00:00 UTC"},
       "%Y-%m-%d %H:%M:%S %z | hourly | 2020-01-31T12:00:00Z | 2020-01-31 14:00:00 UTC"},
      // A month begins at midnight where it is written, not in Greenwich.
      {{"2020-01-01T00:00+01:00", "2020-02-01T00:00+01:00"},
       "%Y-%m-%dT%H:%M%z | monthly | 2019-12-31T23:00:00Z | 2020-03-01T00:00+01:00"},
      // Clocks go back: with offsets nothing is twice.
      {{"2020-10-25T01:00+02:00", "2020-10-25T02:00+02:00", "2020-10-25T02:00+01:00", "2020-10-25T03:00+01:00"},
       "%Y-%m-%dT%H:%M%z | hourly | 2020-10-24T23:00:00Z | 2020-10-25T05:00+02:00 [the offsets from UTC differ; all "
       "times "
       "are compared in UTC]"},
      // Without offsets it is.
      {{"2020-10-25T01:00", "2020-10-25T02:00", "2020-10-25T02:00", "2020-10-25T03:00"},
       "%Y-%m-%dT%H:%M | hourly | 2020-10-25T01:00:00Z | 2020-10-25T04:00 [one row repeats a date, first "
       "'2020-10-25T02:00' in "
       "row 3] [the times have no offset from UTC..."},
      {{"2020-03-29T01:00", "2020-03-29T03:00", "2020-03-29T04:00"},
       "%Y-%m-%dT%H:%M | hourly | 2020-03-29T01:00:00Z | 2020-03-29T05:00 [one step is missing, first after "
       "'2020-03-29T01:00' in row 1]"},
      // A day of 23 hours is a day.
      {{"2020-03-28T00:00+01:00", "2020-03-29T00:00+01:00", "2020-03-30T00:00+02:00"},
       "%Y-%m-%dT%H:%M%z | daily | 2020-03-27T23:00:00Z | 2020-03-31T00:00+01:00..."},
      {{"2020-01-31T12:00Z", "2020-01-31T13:00"},
       "odd 1: '2020-01-31T13:00' is not a date of the form %Y-%m-%dT%H:%M%z..."},
      {{"2020-01-31T12:00+15:00"}, "no dates"},
  });
}

TEST(DateZoo, Steps) {
  Check({
      {{"2020-01-02", "2020-01-03", "2020-01-06"}, "%Y-%m-%d | business days | 2020-01-02T00:00:00Z | 2020-01-07"},
      {{"2020-01-09", "2020-01-10", "2020-01-13", "2020-01-15", "2020-01-16", "2020-01-17"},
       "%Y-%m-%d | business days | 2020-01-09T00:00:00Z | 2020-01-20 [one step is missing, first after '2020-01-13' in "
       "row 3]"},
      {{"2020-01-06", "2020-01-07", "2020-01-08"}, "%Y-%m-%d | daily | 2020-01-06T00:00:00Z | 2020-01-09"},
      {{"2020-01-06", "2020-01-13", "2020-01-20"}, "%Y-%m-%d | weekly | 2020-01-06T00:00:00Z | 2020-01-27"},
      {{"2020-01-06", "2020-01-20", "2020-02-03"}, "%Y-%m-%d | every 2 weeks | 2020-01-06T00:00:00Z | 2020-02-17"},
      {{"2020-01", "2020-03", "2020-05"}, "%Y-%m | every 2 months | 2020-01-01T00:00:00Z | 2020-07"},
      {{"2020-01", "2020-04", "2020-07"}, "%Y-%m | quarterly | 2020-01-01T00:00:00Z | 2020-10"},
      {{"2018-07", "2019-07", "2020-07"}, "%Y-%m | yearly | 2018-07-01T00:00:00Z | 2021-07"},
      {{"2020-01", "2020-02", "2020-04", "2020-05"},
       "%Y-%m | monthly | 2020-01-01T00:00:00Z | 2020-06 [one step is missing, first after '2020-02' in row 2]"},
      {{"2020-01", "2020-02", "2020-02", "2020-03"},
       "%Y-%m | monthly | 2020-01-01T00:00:00Z | 2020-04 [one row repeats a date, first '2020-02' in row 3]"},
      {{"2020-03", "2020-02", "2020-01"},
       "%Y-%m | monthly | 2020-01-01T00:00:00Z | 2020-04 [the latest date comes first]"},
      {{"2020-03", "2020-01", "2020-02"},
       "%Y-%m | monthly | 2020-01-01T00:00:00Z | 2020-04 [the rows are not in the order of time]"},
      {{"2020-01", "", "2020-02"}, "%Y-%m | monthly | 2020-01-01T00:00:00Z | 2020-03 [one row has no date]"},
      {{"2020-01"}, "%Y-%m | monthly | 2020-01-01T00:00:00Z | 2020-02"},
      {{"2020-01-31"}, "%Y-%m-%d | no step | 2020-01-31T00:00:00Z |  [one date does not say how far the next one is]"},
      {{"2020-01-01", "2020-01-06", "2020-01-14", "2020-02-28"},
       "%Y-%m-%d | no step | 2020-01-01T00:00:00Z |  [the dates have no common step..."},
      {{"2020-01-01T00:00", "2020-01-01T08:00", "2020-01-01T16:00"},
       "%Y-%m-%dT%H:%M | every 8 hours | 2020-01-01T00:00:00Z | 2020-01-02T00:00"},
  });
}

TEST(DateZoo, MixedForms) {
  Check({
      {{"2020-01-30", "31.01.2020", "2020-02-01"},
       "odd 1: '31.01.2020' is not a date of the form %Y-%m-%d, as '2020-01-30' is; write all dates of a column in one "
       "form"},
      {{"2020-01-30", "2020-01-31", "soon"}, "odd 2: 'soon' is not a date of the form %Y-%m-%d..."},
      {{"2020-01-30", "2020-01-31 12:00"}, "odd 1: ..."},
      {{"2020-01", "2020-Q2", "2020-03"}, "odd 1: '2020-Q2' is not a date of the form %Y-%m, as '2020-01' is..."},
      {{"2020-01-30", "43861"}, "odd 1: '43861' is not a date of the form %Y-%m-%d..."},
      {{"31.01.2020", "soon"},
       "odd 1: 'soon' is not a date of the form %d.%m.%Y, as '31.01.2020' is; correct it...",
       "%d.%m.%Y"},
  });
}

}  // namespace
}  // namespace instantgp

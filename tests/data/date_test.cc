#include "instantgp/data/date.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <string>

#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"
#include "instantgp/data/calendar.h"
#include "instantgp/data/civil.h"
#include "instantgp/data/date_formats.h"
#include "instantgp/data/time_length.h"

namespace instantgp {
namespace {

// The C library counts days in its own way.
std::tm CTime(std::int64_t seconds) {
  const std::time_t time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  gmtime_r(&time, &parts);
  return parts;
}

TEST(Date, DaysAreThoseOfTheCLibrary) {
  for (std::int64_t day = DayNumber(1, 1, 1); day <= DayNumber(9999, 12, 31); day += 17) {
    const std::tm parts = CTime(86400 * day);
    const CivilDay date = CivilOf(day);
    ASSERT_EQ(date.year, parts.tm_year + 1900);
    ASSERT_EQ(date.month, parts.tm_mon + 1);
    ASSERT_EQ(date.day, parts.tm_mday);
    ASSERT_EQ(WeekdayOf(day) % 7, parts.tm_wday);
    ASSERT_EQ(DayNumber(date.year, date.month, date.day), day);
  }
}

TEST(Date, WritesWhatStrftimeWritesAndReadsItBack) {
  RandomStream random(1);
  for (const DateFormat& format : UsualDateFormats()) {
    if (format.text().find("%q") != std::string::npos) continue;  // ours alone
    for (int repeat = 0; repeat < 20; ++repeat) {
      const std::int64_t seconds = random.UniformInt(-30'000, 30'000) * 86400LL + random.UniformInt(0, 86399);
      const std::tm parts = CTime(seconds);
      char expected[100];
      std::string c_format = format.text();
      for (std::size_t at; (at = c_format.find("%z")) != std::string::npos;) c_format.replace(at, 2, "Z");
      ASSERT_GT(std::strftime(expected, sizeof(expected), c_format.c_str(), &parts), 0u);
      const std::string written = format.Write({1'000'000 * seconds, 0}, {0, false, "Z"});
      EXPECT_EQ(written, expected) << format.text();
      const DateReading reading = format.Read(written);
      ASSERT_EQ(reading.problem, DateProblem::kNone) << written << " by " << format.text();
      EXPECT_EQ(format.Write(reading.moment, {0, false, "Z"}), written);
    }
  }
}

TEST(Date, DaysAndBack) {
  RandomStream random(2);
  for (int repeat = 0; repeat < 1000; ++repeat) {
    const Moment moment{
        random.UniformInt(-40'000, 40'000) * kDayUs + 1'000'000LL * random.UniformInt(0, 86'399) + 125'000,
        30 * random.UniformInt(-28, 28)};
    const Moment back = MomentOfDays(DaysOf(moment), moment.offset_minutes);
    EXPECT_NEAR(static_cast<double>(back.local_us - moment.local_us), 0, 2);
    EXPECT_EQ(back.offset_minutes, moment.offset_minutes);
  }
  EXPECT_EQ(DaysOf({12 * 3'600'000'000LL, 60}), 11.0 / 24);
  EXPECT_TRUE(std::isnan(DaysOf({})));
  for (const double nowhere : {1e300, -1e300, std::nan(""), 3e6, -8e5}) EXPECT_TRUE(MomentOfDays(nowhere).missing());
  // The ends of the calendar, which are on a clock's own days.
  const std::int64_t first = DayNumber(1, 1, 1) * kDayUs, last = DayNumber(10000, 1, 1) * kDayUs - 1;
  for (const int offset : {0, 14 * 60, -12 * 60}) {
    EXPECT_NEAR(static_cast<double>(MomentOfDays(DaysOf({first, offset}), offset).local_us - first), 0, 64) << offset;
    EXPECT_NEAR(static_cast<double>(MomentOfDays(DaysOf({last, offset}), offset).local_us - last), 0, 64) << offset;
    EXPECT_TRUE(MomentOfDays(DaysOf({first - 1'000'000, offset}), offset).missing()) << offset;
    EXPECT_TRUE(MomentOfDays(DaysOf({last + 1'000'000, offset}), offset).missing()) << offset;
  }
}

TEST(Date, BadFormatsAreRefused) {
  for (const char* format : {"", "%", "%d", "%m-%d", "%Y-%d", "%Y %Y", "%Y-%m %b", "%x", "%Y %H", "%Y-%m-%d %M",
                             "%Y-%m-%d %I:%M", "%Y %V", "%G-%m", "%Y-%m-%d%z", "%Y-%j-%m", "%-", "%u"}) {
    EXPECT_THROW(DateFormat{format}, Error) << format;
  }
  EXPECT_EQ(DateFormat("100%% %Y").Write({0, 0}, {}), "100% 1970");
}

TEST(Date, AnyBytesAreReadOrNot) {
  RandomStream random(3);
  const std::string letters = "0123456789-/.:TZQWM +JanFebPM,";
  int read = 0;
  for (int repeat = 0; repeat < 20000; ++repeat) {
    std::string text = repeat % 2 == 0 ? "2020-01-31T12:00:00+01:00" : "";
    const int edits = random.UniformInt(1, 12);
    for (int e = 0; e < edits; ++e) {
      const char c = letters[static_cast<std::size_t>(random.UniformInt(0, static_cast<int>(letters.size()) - 1))];
      if (text.empty() || random.UniformInt(0, 1) == 0) {
        text += c;
      } else {
        text[static_cast<std::size_t>(random.UniformInt(0, static_cast<int>(text.size()) - 1))] = c;
      }
    }
    const DateFormat& format = UsualDateFormats()[static_cast<std::size_t>(
        random.UniformInt(0, static_cast<int>(UsualDateFormats().size()) - 1))];
    const DateReading reading = format.Read(text);
    if (reading.problem == DateProblem::kNone) ++read;
    EXPECT_EQ(reading.moment.missing(), reading.problem != DateProblem::kNone);
  }
  EXPECT_LT(read, 20000);
}

TEST(Calendar, StepsFindTheirWayBack) {
  const Moment start{DayNumber(2019, 10, 31) * kDayUs + 9 * 3'600'000'000LL, 120};  // a Thursday
  for (int u = 0; u <= static_cast<int>(CalendarUnit::kYear); ++u) {
    for (const std::int64_t count : {1, 2, 5}) {
      const Calendar calendar({static_cast<CalendarUnit>(u), count}, start);
      Moment before = calendar.At(-60);
      for (std::int64_t k = -59; k <= 120; ++k) {
        const Moment here = calendar.At(k);
        ASSERT_GT(here.local_us, before.local_us);
        std::int64_t position = 0;
        ASSERT_TRUE(calendar.Find(here, position)) << u << " " << k;
        ASSERT_EQ(position, k);
        ASSERT_EQ(calendar.Position(here), static_cast<double>(k));
        const Moment between{(here.local_us + before.local_us) / 2, here.offset_minutes};
        ASSERT_NEAR(calendar.Position(between), static_cast<double>(k) - 0.5, 0.51);
        before = here;
      }
      EXPECT_TRUE(calendar.At(INT64_MAX).missing());
    }
  }
}

// Every regular column of every step is found, with a gap in it too.
TEST(Calendar, EveryStepIsRecognised) {
  for (const int day : {1, 15, 28, 31}) {
    for (int u = static_cast<int>(CalendarUnit::kSecond); u <= static_cast<int>(CalendarUnit::kYear); ++u) {
      for (const std::int64_t count : {1, 2}) {
        const CalendarStep step{static_cast<CalendarUnit>(u), count};
        std::int64_t first_day = DayNumber(2018, 1, day);
        if (step.unit == CalendarUnit::kBusinessDay) first_day -= std::max(0, WeekdayOf(first_day) - 5);
        const Calendar calendar(step, {first_day * kDayUs, 0});
        std::vector<Moment> moments;
        for (std::int64_t k = 0; k < 30; ++k) {
          if (k != 11) moments.push_back(calendar.At(k));
        }
        const CalendarReport report = FindCalendar(moments, DatePrecision::kTime);
        ASSERT_TRUE(report.regular) << step.Words();
        EXPECT_EQ(report.calendar.step(), step) << step.Words() << " from day " << day;
        EXPECT_EQ(report.missing_steps, 1);
        EXPECT_EQ(report.gaps.at(0).after_row, 10u);
        EXPECT_EQ(report.positions.back(), 29);
        EXPECT_EQ(report.calendar.At(40), calendar.At(40)) << step.Words() << " from day " << day;
      }
    }
  }
}

TEST(TimeLength, InWords) {
  EXPECT_EQ(TimeLengthText(365.2425), "12 months");
  EXPECT_EQ(TimeLengthText(2.3 * 365.2425), "2.3 years");
  EXPECT_EQ(TimeLengthText(730.4), "2 years");
  EXPECT_EQ(TimeLengthText(40), "40 days");
  EXPECT_EQ(TimeLengthText(1), "24 hours");
  EXPECT_EQ(TimeLengthText(0.5 / 24), "30 minutes");
  EXPECT_EQ(TimeLengthText(1 / 86400.0), "1 second");
  EXPECT_EQ(TimeLengthText(0), "0 seconds");
  EXPECT_EQ(PeriodWords(365.25), "yearly");
  EXPECT_EQ(PeriodWords(7), "weekly");
  EXPECT_EQ(PeriodWords(900), "every 2.46 years");
}

TEST(TimeLength, ReadsWhatItWrites) {
  for (double days = 1e-5; days < 1e6; days *= 1.7) {
    EXPECT_NEAR(ReadTimeLength(TimeLengthText(days)), days, 0.006 * days) << TimeLengthText(days);
  }
  EXPECT_EQ(ReadTimeLength("12"), 12);
  EXPECT_EQ(ReadTimeLength("36h"), 1.5);
  EXPECT_EQ(ReadTimeLength(" 2 weeks "), 14);
  EXPECT_EQ(ReadTimeLength("week"), 7);
  for (const char* text : {"", "12 moons", "m", "1 2 days", "inf days", "days 3"}) {
    EXPECT_THROW(ReadTimeLength(text), Error) << text;
  }
}

}  // namespace
}  // namespace instantgp

#include "instantgp/data/time_length.h"

#include <cmath>
#include <cstdio>

#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"
#include "instantgp/data/csv_number.h"

namespace instantgp {

namespace {

constexpr double kYearDays = 365.2425;

struct LengthUnit {
  std::string_view plural;
  std::string_view singular;
  std::string_view letter;  // m is minutes in "5m" and months in nobody's mind alike, so neither has it
  double days;
  bool spoken;  // lengths are said in it; weeks and quarters are only understood
};

constexpr LengthUnit kLengthUnits[] = {
    {"years", "year", "y", kYearDays, true},
    {"quarters", "quarter", "", kYearDays / 4, false},
    {"months", "month", "", kYearDays / 12, true},
    {"weeks", "week", "w", 7, false},
    {"days", "day", "d", 1, true},
    {"hours", "hour", "h", 1 / 24.0, true},
    {"minutes", "minute", "min", 1 / 1440.0, true},
    {"seconds", "second", "s", 1 / 86400.0, true},
};

std::string ThreeDigits(double value) {
  char digits[32];
  std::snprintf(digits, sizeof(digits), "%.3g", value);
  return digits;
}

}  // namespace

std::string TimeLengthText(double days) {
  const double size = std::abs(days);
  const LengthUnit* chosen = nullptr;
  for (const LengthUnit& unit : kLengthUnits) {
    if (!unit.spoken) continue;
    chosen = &unit;
    if (size >= 1.995 * unit.days) break;  // what is written as 2
  }
  const std::string number = ThreeDigits(days / chosen->days);
  return number + " " + std::string(number == "1" ? chosen->singular : chosen->plural);
}

double ReadTimeLength(std::string_view text) {
  std::string_view number = text;
  const auto trim = [](std::string_view& part) {
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
  };
  trim(number);
  const std::size_t letters = number.find_last_not_of("abcdefghijklmnopqrstuvwxyz");
  std::string_view unit = letters == std::string_view::npos ? number : number.substr(letters + 1);
  number = number.substr(0, number.size() - unit.size());
  trim(number);
  const CellValue value = number.empty() ? CellValue{CellKind::kNumber, 1} : ReadCell(number, false);
  double factor = unit.empty() ? 1 : 0;
  for (const LengthUnit& known : kLengthUnits) {
    if (!unit.empty() && (unit == known.plural || unit == known.singular || unit == known.letter)) factor = known.days;
  }
  if (value.kind != CellKind::kNumber || factor == 0 || (number.empty() && unit.empty())) {
    throw Error(ErrorCode::kBadInput,
                "'" + OneLine(text) +
                    "' is not a length of time; write a number and years, quarters, months, weeks, days, "
                    "hours, minutes or seconds, for example 12 months");
  }
  return value.value * factor;
}

std::string PeriodWords(double days) {
  struct Name {
    const char* word;
    double days;
  };
  for (const Name& name : {Name{"yearly", kYearDays}, Name{"quarterly", kYearDays / 4}, Name{"monthly", kYearDays / 12},
                           Name{"weekly", 7}, Name{"daily", 1}, Name{"hourly", 1 / 24.0}}) {
    if (std::abs(days / name.days - 1) <= 0.01) return name.word;
  }
  return "every " + TimeLengthText(days);
}

}  // namespace instantgp

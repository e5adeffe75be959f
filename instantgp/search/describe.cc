#include "instantgp/search/describe.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>

namespace instantgp {
namespace {

struct Calendar {
  const char* unit;  // singular; the plural is accepted too
  double length;
  const char* word;
};
// Relative: what a period fitted to a few cycles may be off. Not measured.
constexpr double kSameLength = 0.04;
constexpr Calendar kCalendar[] = {{"year", 1, "yearly"},     {"quarter", 4, "yearly"},  {"month", 12, "yearly"},
                                  {"week", 52.18, "yearly"}, {"day", 365.25, "yearly"}, {"day", 7, "weekly"},
                                  {"hour", 24, "daily"},     {"hour", 168, "weekly"},   {"minute", 60, "hourly"},
                                  {"minute", 1440, "daily"}, {"second", 60, "minutely"}};

std::string Digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

// The unit of time a column's name is, as kCalendar spells it; empty for others.
std::string TimeUnit(const std::string& column) {
  std::string lower;
  for (const char c : column) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lower.size() > 1 && lower.back() == 's') lower.pop_back();
  for (const Calendar& entry : kCalendar) {
    if (lower == entry.unit) return lower;
  }
  return "";
}

// "12 months", "0.3" for columns whose unit is not known.
std::string Length(double value, const std::string& unit) {
  return Digits(value) + (unit.empty() ? "" : " " + unit + "s");
}

std::string Period(double period, const std::string& unit) {
  for (const Calendar& entry : kCalendar) {
    if (unit == entry.unit && std::abs(period / entry.length - 1) < kSameLength) {
      return std::string(entry.word) + " period (" + Length(period, unit) + ")";
    }
  }
  return "period " + Length(period, unit);
}

// The two factors of an addend in the column's units; 0 where there is none.
struct Addend {
  bool linear = false;
  double se = 0, matern = 0;  // lengthscales
  double period = 0;
};

std::string Words(const Addend& a, const std::string& unit) {
  std::string text;
  if (a.period > 0) {
    text = Period(a.period, unit);
    if (a.se > 0) text += " that changes over " + Length(a.se, unit);
    if (a.matern > 0) text += " that changes roughly over " + Length(a.matern, unit);
  } else if (a.se > 0 && a.matern > 0) {
    text = "rough variation over " + Length(std::min(a.se, a.matern), unit);
  } else if (a.se > 0) {
    text = "smooth variation over " + Length(a.se, unit);
  } else if (a.matern > 0) {
    text = "rough variation over " + Length(a.matern, unit);
  } else {
    return "linear trend";
  }
  return a.linear ? text + " of growing amplitude" : text;
}

}  // namespace

std::string Describe(const Structure& structure, const Vector& theta, const Scaler& scaler,
                     const std::vector<std::string>& column_names) {
  Index next = 0;  // row of the parameter table
  std::string text;
  for (std::size_t i = 0; i < structure.columns.size(); ++i) {
    const std::size_t column = static_cast<std::size_t>(structure.columns[i]);
    const double range = scaler.x_range[structure.columns[i]];
    const std::string unit = TimeUnit(column_names[column]);
    std::vector<std::string> addends;
    for (const BaseSymbol symbol : structure.symbols[i]) {
      Addend addend;
      for (const Elementary factor : FactorsOf(symbol)) {
        const double second = std::exp(theta[next + 1]);  // lengthscale or offset
        if (factor == Elementary::kLIN) addend.linear = true;
        if (factor == Elementary::kSE) addend.se = second * range;
        if (factor == Elementary::kMAT52) addend.matern = second * range;
        if (factor == Elementary::kPER) addend.period = std::exp(theta[next + 2]) * range;
        next += static_cast<Index>(ParametersOf(factor).size());
      }
      addends.push_back(Words(addend, unit));
    }
    if (!text.empty()) text += "; ";
    if (scaler.x_range.size() > 1) text += column_names[column] + ": ";
    for (std::size_t j = 0; j < addends.size(); ++j) text += (j > 0 ? ", " : "") + addends[j];
  }
  return text;
}

}  // namespace instantgp

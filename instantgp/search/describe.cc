#include "instantgp/search/describe.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>

#include "instantgp/model/spoken_columns.h"

namespace instantgp {
namespace {

struct TimeWord {
  const char* unit;  // singular; the plural is accepted too
  double length;
  const char* word;
};
// Relative: what a period fitted to a few cycles may be off. By 4 percent it is an eighth of a cycle out of phase after
// three cycles. Not measured.
constexpr double kSameLength = 0.04;
constexpr TimeWord kCalendar[] = {{"year", 1, "yearly"},     {"quarter", 4, "yearly"},  {"month", 12, "yearly"},
                                  {"week", 52.18, "yearly"}, {"day", 365.25, "yearly"}, {"day", 7, "weekly"},
                                  {"hour", 24, "daily"},     {"hour", 168, "weekly"},   {"minute", 60, "hourly"},
                                  {"minute", 1440, "daily"}, {"second", 60, "minutely"}};

std::string Digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

// The unit of time of a column of dates, or that a column's name is, as kCalendar spells it; empty for others.
std::string TimeUnit(const std::string& column, const std::string& unit_of_dates) {
  if (!unit_of_dates.empty()) return unit_of_dates.substr(0, unit_of_dates.size() - 1);
  std::string lower;
  for (const char c : column) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lower.size() > 1 && lower.back() == 's') lower.pop_back();
  for (const TimeWord& entry : kCalendar) {
    if (lower == entry.unit) return lower;
  }
  return "";
}

// "12 months", "0.3" for columns whose unit is not known.
std::string Length(double value, const std::string& unit) {
  return Digits(value) + (unit.empty() ? "" : " " + unit + "s");
}

std::string Period(double period, const std::string& unit) {
  for (const TimeWord& entry : kCalendar) {
    if (unit == entry.unit && std::abs(period / entry.length - 1) < kSameLength) {
      return std::string(entry.word) + " period (" + Length(period, unit) + ")";
    }
  }
  return "period " + Length(period, unit);
}

// What an addend does along its column, in the column's units; 0 where it does not.
struct Behaviour {
  bool linear = false;
  double se = 0, matern = 0;  // lengthscales
  double period = 0;
};

Behaviour BehaviourOf(const Addend& addend, const LogParameters& theta, double range) {
  Behaviour behaviour;
  for (const Factor& factor : addend.factors) {
    const auto in_units = [&](ParameterKind kind) { return std::exp(theta[factor.Row(kind)]) * range; };
    switch (factor.elementary) {
      case Elementary::kSE:
        behaviour.se = in_units(ParameterKind::kLengthscale);
        break;
      case Elementary::kLIN:
        behaviour.linear = true;
        break;
      case Elementary::kPER:
        behaviour.period = in_units(ParameterKind::kPeriod);
        break;
      case Elementary::kMAT52:
        behaviour.matern = in_units(ParameterKind::kLengthscale);
        break;
      case Elementary::kMAT12:
      case Elementary::kWIE:
      case Elementary::kIOU:
      case Elementary::kBIAS:
        break;  // in no structure
    }
  }
  return behaviour;
}

std::string Words(const Behaviour& a, const std::string& unit) {
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

std::string Differs(const ColumnRecipe& column) {
  return column.kind == ColumnKind::kCategory ? "category" : "whether the value is missing";
}

}  // namespace

std::string Describe(const Structure& structure, const LogParameters& theta, const Scaler& scaler,
                     const std::vector<std::string>& column_names) {
  std::string text;
  int column = -1;
  const ColumnRecipe* said = nullptr;
  for (const Addend& addend : AddendsOf(structure)) {
    const Recipe* const recipe = scaler.recipe.get();
    const std::string& name = column_names[static_cast<std::size_t>(addend.column)];
    if (IsLevel(recipe, addend.column)) {  // a category is said once, whichever of its levels take part
      const ColumnRecipe* const category = ColumnOfInput(recipe, addend.column);
      if (category != said) text += (text.empty() ? "" : "; ") + category->name + ": differs by " + Differs(*category);
      said = category;
      column = addend.column;
      continue;
    }
    if (addend.column != column) {
      if (!text.empty()) text += "; ";
      if (scaler.x_range.size() > 1) text += name + ": ";
    } else {
      text += ", ";
    }
    column = addend.column;
    text += Words(BehaviourOf(addend, theta, scaler.x_range[column]), TimeUnit(name, UnitOfInput(recipe, column)));
  }
  return text;
}

}  // namespace instantgp

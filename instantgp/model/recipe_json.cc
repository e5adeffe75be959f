#include "instantgp/model/recipe_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "instantgp/base/error.h"
#include "instantgp/base/json_integer.h"
#include "instantgp/data/civil.h"

namespace instantgp {
namespace {

using nlohmann::json;

constexpr ColumnKind kKinds[] = {ColumnKind::kNumber, ColumnKind::kDate, ColumnKind::kCategory, ColumnKind::kLeftOut};
constexpr std::array<const char*, 10> kUnitNames = {"microsecond",  "second", "minute", "hour",    "day",
                                                    "business day", "week",   "month",  "quarter", "year"};

[[noreturn]] void Impossible(const std::string& what) {
  throw Error(ErrorCode::kBadInput, "the description of the columns " + what);
}

ColumnKind KindFromName(const std::string& name) {
  for (const ColumnKind kind : kKinds) {
    if (Name(kind) == name) return kind;
  }
  Impossible("knows a column that is neither number, date nor category");
}

CalendarUnit UnitFromName(const std::string& name) {
  const auto found = std::find(kUnitNames.begin(), kUnitNames.end(), name);
  if (found == kUnitNames.end()) Impossible("counts dates in an unknown unit");
  return static_cast<CalendarUnit>(found - kUnitNames.begin());
}

JsonObject DateToJson(const ColumnRecipe& column) {
  const DateForm& form = column.form;
  const Calendar& calendar = column.calendar;
  JsonObject j;
  j.Set("format", form.format).Set("also_format", form.also_format);
  j.Set("fraction_digits", form.style.fraction_digits).Set("upper_names", form.style.upper_names);
  j.Set("offset_style", form.style.offset).Set("offset_minutes", form.offset_minutes);
  j.Set("mixed_offsets", form.mixed_offsets);
  j.Set("unit", kUnitNames[static_cast<std::size_t>(calendar.step().unit)]).Set("step", column.step);
  j.Set("first_us", calendar.first().local_us).Set("first_offset_minutes", calendar.first().offset_minutes);
  j.Set("day_of_month", calendar.day_of_month());
  return j;
}

void DateFromJson(const json& j, ColumnRecipe& column) {
  DateForm& form = column.form;
  form.format = j.at("format").get<std::string>();
  form.also_format = j.at("also_format").get<std::string>();
  try {
    DateFormat checked(form.format);
    if (!form.also_format.empty()) checked = DateFormat(form.also_format);
  } catch (const Error&) {
    Impossible("holds a format of dates that is none");
  }
  form.style.fraction_digits = JsonInteger<int>(j.at("fraction_digits"));
  form.style.upper_names = j.at("upper_names").get<bool>();
  form.style.offset = j.at("offset_style").get<std::string>();
  form.offset_minutes = JsonInteger<int>(j.at("offset_minutes"));
  form.mixed_offsets = j.at("mixed_offsets").get<bool>();
  column.step = j.at("step").get<std::string>();
  const auto unit = UnitFromName(j.at("unit").get<std::string>());
  const Moment first{JsonInteger<std::int64_t>(j.at("first_us")), JsonInteger<int>(j.at("first_offset_minutes"))};
  const int day = JsonInteger<int>(j.at("day_of_month"));
  constexpr int kDayMinutes = 24 * 60;
  const auto within_a_day = [](int minutes) { return minutes >= -kDayMinutes && minutes <= kDayMinutes; };
  const bool in_calendar =
      first.local_us >= DayNumber(1, 1, 1) * kDayUs && first.local_us < DayNumber(10'000, 1, 1) * kDayUs;
  if (!in_calendar || !within_a_day(first.offset_minutes) || !within_a_day(form.offset_minutes) || day < 1 ||
      day > 31 || form.style.fraction_digits < 0 || form.style.fraction_digits > 6 ||
      (unit == CalendarUnit::kBusinessDay && WeekdayOf(FloorDiv(first.local_us, kDayUs)) > 5)) {
    Impossible("holds a date that cannot be");
  }
  column.calendar = Calendar({unit, 1}, first, day);
}

void LevelsFromJson(const json& j, ColumnRecipe& column) {
  column.levels = j.at("levels").get<std::vector<std::string>>();
  column.rare = j.at("rare").get<std::vector<std::string>>();
  const std::size_t inputs = column.levels.size() + (column.rare.empty() ? 0 : 1);
  std::set<std::string> all(column.levels.begin(), column.levels.end());
  all.insert(column.rare.begin(), column.rare.end());
  if (inputs < 1 || inputs > static_cast<std::size_t>(kMostLevels) ||
      all.size() != column.levels.size() + column.rare.size()) {
    Impossible("holds no levels, too many, or one twice");
  }
}

}  // namespace

JsonArray RecipeToJson(const Recipe& recipe) {
  JsonArray list;
  for (const ColumnRecipe& column : recipe.columns) {
    JsonObject j;
    j.Set("name", column.name).Set("kind", Name(column.kind)).Set("indicator", column.indicator);
    if (column.kind == ColumnKind::kDate) j.Set("date", DateToJson(column));
    if (column.kind == ColumnKind::kCategory) j.Set("levels", column.levels).Set("rare", column.rare);
    if (column.fill) j.Set("fill", *column.fill);
    j.Set("gaps", column.gaps).Set("different", column.different);
    list.Add(j);
  }
  return list;
}

Recipe RecipeFromJson(const json& j) {
  Recipe recipe;
  std::set<std::string> names;
  for (const json& item : j) {
    ColumnRecipe column;
    column.name = item.at("name").get<std::string>();
    column.kind = KindFromName(item.at("kind").get<std::string>());
    if (column.kind == ColumnKind::kDate) DateFromJson(item.at("date"), column);
    if (column.kind == ColumnKind::kCategory) LevelsFromJson(item, column);
    column.indicator = item.at("indicator").get<bool>();
    if (item.contains("fill")) column.fill = item.at("fill").get<double>();
    column.gaps = JsonInteger<int>(item.at("gaps"));
    column.different = JsonInteger<int>(item.at("different"));
    if (!names.insert(column.name).second) Impossible("names a column twice");
    if ((column.indicator && !column.fill) || (column.fill && !std::isfinite(*column.fill))) {
      Impossible("has no value for gaps");
    }
    recipe.columns.push_back(std::move(column));
  }
  return recipe;
}

}  // namespace instantgp

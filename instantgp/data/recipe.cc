#include "instantgp/data/recipe.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "instantgp/data/csv_number.h"

namespace instantgp {

std::string_view TrimmedCell(std::string_view cell) {
  while (!cell.empty() && (cell.front() == ' ' || cell.front() == '\t')) cell.remove_prefix(1);
  while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\t')) cell.remove_suffix(1);
  return cell;
}

bool IsMissingCell(std::string_view cell) { return ReadCell(cell, false).kind == CellKind::kMissing; }

std::string CodeText(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

std::string_view Name(ColumnKind kind) {
  constexpr std::string_view kNames[] = {"number", "date", "category", "left out"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool operator==(const ColumnRecipe& a, const ColumnRecipe& b) {
  return a.name == b.name && a.kind == b.kind && a.form == b.form && a.calendar.step() == b.calendar.step() &&
         a.calendar.first() == b.calendar.first() && a.calendar.day_of_month() == b.calendar.day_of_month() &&
         a.step == b.step && a.levels == b.levels && a.rare == b.rare && a.indicator == b.indicator &&
         a.fill == b.fill && a.gaps == b.gaps && a.different == b.different;
}

int ColumnRecipe::inputs() const {
  if (kind == ColumnKind::kLeftOut) return 0;
  const std::size_t own = kind == ColumnKind::kCategory ? levels.size() + (rare.empty() ? 0 : 1) : 1;
  return static_cast<int>(own) + (indicator ? 1 : 0);
}

int Recipe::inputs() const {
  int sum = 0;
  for (const ColumnRecipe& column : columns) sum += column.inputs();
  return sum;
}

std::vector<std::string> Recipe::InputNames() const {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const ColumnRecipe& column : columns) taken.insert(column.name);
  // A name that a column of the table has already is numbered.
  const auto add = [&](const std::string& name) {
    std::string free = name;
    for (int k = 2; !taken.insert(free).second; ++k) free = name + " " + std::to_string(k);
    names.push_back(std::move(free));
  };
  for (const ColumnRecipe& column : columns) {
    if (column.kind == ColumnKind::kLeftOut) continue;
    if (column.kind == ColumnKind::kCategory) {
      for (const std::string& level : column.levels) add(column.name + "=" + level);
      if (!column.rare.empty()) add(column.name + "=" + kOtherLevel);
    } else {
      names.push_back(column.name);
    }
    if (column.indicator) add(column.name + " missing");
  }
  return names;
}

bool Recipe::PlainNumbers() const {
  return std::all_of(columns.begin(), columns.end(), [](const ColumnRecipe& column) {
    return column.kind == ColumnKind::kNumber && !column.indicator && !column.fill;
  });
}

std::vector<std::string> Recipe::Needed() const {
  std::vector<std::string> names;
  for (const ColumnRecipe& column : columns) {
    if (column.kind != ColumnKind::kLeftOut) names.push_back(column.name);
  }
  return names;
}

std::vector<std::string> Recipe::NeededAsText() const {
  std::vector<std::string> names;
  for (const ColumnRecipe& column : columns) {
    if (column.kind == ColumnKind::kDate || column.kind == ColumnKind::kCategory) names.push_back(column.name);
  }
  return names;
}

}  // namespace instantgp

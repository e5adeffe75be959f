// What became of a column, for people.
#include <cctype>
#include <cstdio>
#include <map>

#include "instantgp/base/diagnosis.h"
#include "instantgp/data/csv_reader.h"
#include "instantgp/data/recipe.h"

namespace instantgp {

namespace {

std::string Digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string LevelsInWords(const ColumnRecipe& column) {
  std::string words = column.levels.size() == 1 && column.rare.empty() ? "one category: " : "categories ";
  for (std::size_t k = 0; k < column.levels.size(); ++k) words += (k > 0 ? ", " : "") + OneLine(column.levels[k]);
  if (!column.rare.empty()) {
    words += "; " + std::to_string(column.rare.size()) +
             (column.rare.size() == 1 ? " rarer one is \"other\"" : " rarer ones together are \"other\"");
  }
  return words;
}

// ASCII letters only: other alphabets have rules of their own.
std::string WithoutCase(const std::string& text) {
  std::string lower;
  for (const char c : text) {
    if (c != ' ') lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return lower;
}

}  // namespace

std::string InWords(const ColumnRecipe& column) {
  std::string words;
  std::string filled;
  switch (column.kind) {
    case ColumnKind::kNumber:
      words = "numbers";
      if (column.fill) filled = Digits(*column.fill);
      break;
    case ColumnKind::kDate: {
      const Calendar& calendar = column.calendar;
      words = "dates " + column.form.format + ", " + (column.step.empty() ? "at no regular step" : column.step) +
              ", as " + calendar.step().Plural() + " since " + DateText(column.form, calendar.first());
      if (column.fill) {
        filled = DateText(column.form, DaysOf(calendar.first()) + *column.fill * calendar.step().MeanDays());
      }
      break;
    }
    case ColumnKind::kCategory:
      words = LevelsInWords(column);
      filled = "no category";
      break;
    case ColumnKind::kLeftOut:
      return "left out: " + std::to_string(column.different) + " texts, none there twice";
  }
  if (column.indicator) {
    words += "; " + std::to_string(column.gaps) + (column.gaps == 1 ? " gap" : " gaps") + " filled by " +
             (column.kind == ColumnKind::kCategory ? "" : "the median ") + filled + " and marked by \"" +
             OneLine(column.name) + " missing\"";
  }
  return words;
}

std::vector<std::string> Remarks(const ColumnRecipe& column) {
  std::vector<std::string> remarks;
  std::map<std::string, std::string> seen;
  for (const std::string& level : column.levels) {
    const auto [first, inserted] = seen.emplace(WithoutCase(level), level);
    if (inserted) continue;
    remarks.push_back("the levels " + ShownCell(first->second) + " and " + ShownCell(level) + " of column " +
                      ShownCell(column.name) +
                      " differ in case or blanks only; if they are the same, write them alike");
    break;
  }
  if (column.kind == ColumnKind::kLeftOut) {
    remarks.push_back("column " + ShownCell(column.name) + " was left out: its " + std::to_string(column.different) +
                      " texts are all different, so there is nothing to learn from them");
  }
  return remarks;
}

}  // namespace instantgp

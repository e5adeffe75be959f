#include "instantgp/model/spoken_columns.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "instantgp/base/diagnosis.h"
#include "instantgp/data/time_length.h"
#include "instantgp/kernel/column_text.h"
#include "instantgp/kernel/parse.h"

namespace instantgp {
namespace {

double UnitDays(const ColumnRecipe& column) { return column.calendar.step().MeanDays(); }

// Null: the input is no date.
const ColumnRecipe* DateOfInput(const Recipe* recipe, int input) {
  int first = 0;
  if (recipe == nullptr) return nullptr;
  for (const ColumnRecipe& column : recipe->columns) {
    if (input == first && column.kind == ColumnKind::kDate) return &column;
    first += column.inputs();
  }
  return nullptr;
}

}  // namespace

std::vector<SpokenColumn> SpokenColumns(const Recipe& recipe) {
  const std::vector<std::string> names = recipe.InputNames();
  std::vector<SpokenColumn> columns, indicators, levels;
  int first = 0;
  for (const ColumnRecipe& column : recipe.columns) {
    const int own = column.inputs() - (column.indicator ? 1 : 0);
    if (own == 0) continue;
    SpokenColumn spoken;
    spoken.name = column.name;
    spoken.inputs.resize(static_cast<std::size_t>(own));
    std::iota(spoken.inputs.begin(), spoken.inputs.end(), first);
    spoken.category = column.kind == ColumnKind::kCategory;
    if (column.kind == ColumnKind::kDate) {
      spoken.length = [days = UnitDays(column)](std::string_view text) { return ReadTimeLength(text) / days; };
      spoken.in_words = [days = UnitDays(column)](double length) {
        std::string text = TimeLengthText(length * days);
        return ReadTimeLength(text) / days == length ? text : std::string();
      };
    }
    for (int k = 0; spoken.category && k < own; ++k) {
      levels.push_back({names.at(first + k), {first + k}, false, false, {}});
    }
    columns.push_back(std::move(spoken));
    if (column.indicator) {
      indicators.push_back({names.at(first + own), {first + own}, true, true, {}});
    }
    first += column.inputs();
  }
  columns.insert(columns.end(), indicators.begin(), indicators.end());
  columns.insert(columns.end(), levels.begin(), levels.end());
  return columns;
}

Expression ParseKernelOver(std::string_view text, const std::vector<std::string>& input_names, const Recipe* recipe) {
  return recipe != nullptr ? ParseSpokenKernel(text, SpokenColumns(*recipe)) : ParseKernel(text, input_names);
}

std::string PrintShortOver(const Expression& expression, const std::vector<std::string>& input_names,
                           const Recipe* recipe) {
  return recipe != nullptr ? PrintSpoken(expression, SpokenColumns(*recipe)) : PrintShort(expression, input_names);
}

const ColumnRecipe* ColumnOfInput(const Recipe* recipe, int input) {
  if (recipe == nullptr) return nullptr;
  int first = 0;
  for (const ColumnRecipe& column : recipe->columns) {
    if (input < first + column.inputs()) return &column;
    first += column.inputs();
  }
  return nullptr;
}

std::vector<std::string> GapWarnings(const Expression& expression, const Recipe* recipe) {
  std::vector<std::string> warnings;
  if (recipe == nullptr) return warnings;
  const std::vector<int> used = ColumnsOf(expression);
  const auto uses = [&](int input) { return std::binary_search(used.begin(), used.end(), input); };
  const std::vector<std::string> names = recipe->InputNames();
  int first = 0;
  for (const ColumnRecipe& column : recipe->columns) {
    const int mark = first + column.inputs() - 1;
    if (column.indicator && uses(first) && !uses(mark)) {
      const std::string name = QuotedName(names[static_cast<std::size_t>(mark)]);
      warnings.push_back("the kernel does not use " + OneLine(name) +
                         ", so that gaps are the median to it; multiply by SE(" + OneLine(name) +
                         ") to set them apart");
    }
    first += column.inputs();
  }
  return warnings;
}

bool IsLevel(const Recipe* recipe, int input) {
  if (recipe == nullptr) return false;
  int first = 0;
  for (const ColumnRecipe& column : recipe->columns) {
    const int next = first + column.inputs();
    if (input < next) return column.kind == ColumnKind::kCategory || (column.indicator && input == next - 1);
    first = next;
  }
  return false;
}

std::string UnitOfInput(const Recipe* recipe, int input) {
  const ColumnRecipe* const column = DateOfInput(recipe, input);
  return column != nullptr ? column->calendar.step().Plural() : "";
}

std::string LengthInWords(const Recipe* recipe, int input, double length) {
  const ColumnRecipe* const column = DateOfInput(recipe, input);
  return column != nullptr ? TimeLengthText(length * UnitDays(*column)) : "";
}

std::string PeriodInWords(const Recipe* recipe, int input, double period) {
  const ColumnRecipe* const column = DateOfInput(recipe, input);
  if (column == nullptr) return "";
  const double days = period * UnitDays(*column);
  const std::string words = PeriodWords(days);
  return TimeLengthText(days) + (words.starts_with("every ") ? "" : ", " + words);
}

std::string PlaceInWords(const Recipe* recipe, int input, double place) {
  const ColumnRecipe* const column = DateOfInput(recipe, input);
  if (column == nullptr) return "";
  return DateText(column->form, DaysOf(column->calendar.first()) + place * UnitDays(*column));
}

}  // namespace instantgp

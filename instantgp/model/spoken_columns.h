// Kernels over the columns of a user's table: the recipe (data/recipe.h) in the terms of kernel/spoken.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "instantgp/base/export.h"
#include "instantgp/data/recipe.h"
#include "instantgp/kernel/expression.h"
#include "instantgp/kernel/spoken.h"

namespace instantgp {

// The columns of the table in their order, then indicators of gaps, then levels. A level alone can be named, but a
// kernel without names is not spread over it.
std::vector<SpokenColumn> SpokenColumns(const Recipe& recipe);

// ParseKernel, and where there is a recipe (may be null) ParseSpokenKernel.
Expression ParseKernelOver(std::string_view text, const std::vector<std::string>& input_names, const Recipe* recipe);
// PrintShort, and where there is a recipe PrintSpoken.
std::string PrintShortOver(const Expression& expression, const std::vector<std::string>& input_names,
                           const Recipe* recipe);

// The column of the table that an input belongs to; null without a recipe.
const ColumnRecipe* ColumnOfInput(const Recipe* recipe, int input);
// What to tell about a kernel that uses a column with gaps but not the mark of its gaps: to it a gap is the median.
std::vector<std::string> GapWarnings(const Expression& expression, const Recipe* recipe);

// Whether an input says equal or different: a level of a category, or the indicator of gaps.
bool IsLevel(const Recipe* recipe, int input);

// What 1 is along an input of dates: "months". Empty: the input is a number.
std::string UnitOfInput(const Recipe* recipe, int input);
// A length on an input, in words where it is one of time: "2.3 years". Empty: the input is a number.
std::string LengthInWords(const Recipe* recipe, int input, double length);
// The same of a period: "12 months, yearly".
std::string PeriodInWords(const Recipe* recipe, int input, double period);
// A place on an input: the date, "1949-01". Empty: the input is a number.
std::string PlaceInWords(const Recipe* recipe, int input, double place);

}  // namespace instantgp

// Kernels in the words of a table whose columns became several inputs: SE(city) where the inputs are "city=Paris", ...
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "instantgp/kernel/expression.h"

namespace instantgp {

// What a user calls a column, and the inputs (columns of X) it stands for.
struct SpokenColumn {
  std::string name;
  std::vector<int> inputs;  // at least one; several only of a category
  // Inputs of 0 and 1 that say equal or different. SE(city) is the product of SE on each of them, a kernel on
  // categories; so are MAT52 and MAT12. Where a kernel names no column, it is SE on a category whatever it is
  // elsewhere.
  bool category = false;
  bool spread = true;  // takes part where a kernel names no column
  // A length in words, "12 months", in the units of the input; null: only numbers are lengths. May throw Error.
  std::function<double(std::string_view)> length = {};
  // The way back; empty where no words mean exactly this length. Null where `length` is.
  std::function<std::string(double)> in_words = {};
};

// As ParseKernel (kernel/parse.h), over spoken columns; the expression is on their inputs.
Expression ParseSpokenKernel(std::string_view text, const std::vector<SpokenColumn>& columns);

// The column that speaks of lengths for a leaf on `column`; where none is named, the only one a kernel is spread over.
// Null: its lengths are numbers.
const SpokenColumn* LengthColumn(int column, const std::vector<SpokenColumn>& columns);

// For the parser: an expression whose leaves act on `columns`, or on every column where none is `named`, on their
// inputs.
Expression OnInputs(Expression expression, bool named, const std::vector<SpokenColumn>& columns);

// An expression on inputs in the words that ParseSpokenKernel reads: the shorthand where there is one, categories by
// their name.
std::string PrintSpoken(const Expression& expression, const std::vector<SpokenColumn>& columns);

}  // namespace instantgp

// Kernel texts: what is read can be printed and read again, and is the same.
#include <array>
#include <string>
#include <vector>

#include "instantgp/data/time_length.h"
#include "instantgp/kernel/expression.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/kernel/parse.h"
#include "instantgp/kernel/spoken.h"
#include "instantgp/kernel/structure.h"
#include "tests/fuzz/door.h"

namespace instantgp::fuzz {
namespace {

using Names = std::vector<std::string>;

const std::array<Names, 4>& NameLists() {
  static const std::array<Names, 4> lists = {Names{"x1"}, Names{"month", "x2"}, Names{"a b", "\"q\"\\", "SE"},
                                             Names{"x2", "1", "x1", "lengthscale", "été", "new\nline", "x1 "}};
  return lists;
}

void CheckKernel(std::string_view text, const Names& names) {
  Expression expression;
  if (!Accepts([&] { expression = ParseKernel(text, names); })) return;
  Require(Canonical(expression) == expression, "what is read is not canonical");
  for (const int column : ColumnsOf(expression)) {
    Require(column >= 0 && column < static_cast<int>(names.size()), "a column that does not exist");
  }
  const std::string printed = Print(expression, names), brief = PrintShort(expression, names);
  Require(ParseKernel(printed, names) == expression, "printed and read it is another: " + printed);
  Require(ParseKernel(brief, names) == expression, "printed briefly and read it is another: " + brief);
  const ParameterTable table(expression);
  Require(static_cast<int>(table.size()) == NumParameters(expression), "two numbers of parameters");
  if (const auto structure = ToStructure(expression)) {
    Require(static_cast<int>(AddendsOf(*structure).size()) >= structure->dimensions(), "a column without an addend");
    Require(WhyOutsideFamily(expression, names).empty(), "inside the family and outside");
  } else {
    Require(!WhyOutsideFamily(expression, names).empty(), "outside the family for no reason");
  }
}

// As SpokenColumns() of a recipe (model/spoken_columns.h): every level of a category can be named alone.
const std::vector<SpokenColumn>& Spoken() {
  static const std::vector<SpokenColumn> columns = [] {
    std::vector<SpokenColumn> list(3);
    list[0] = {"month", {0}};
    list[0].length = [](std::string_view words) { return ReadTimeLength(words) / 30.436875; };
    list[0].in_words = [](double) { return std::string(); };
    list[1] = {"city", {1, 2, 3}, true};
    list[2] = {"price", {4}};
    for (int level = 1; level <= 3; ++level) {
      list.push_back({"city=" + std::to_string(level), {level}, false, false});
    }
    return list;
  }();
  return columns;
}

void KernelDoor(std::string_view bytes) {
  const int turn = TurnOf(bytes, 1 + static_cast<int>(NameLists().size()));
  if (turn > 0) return CheckKernel(bytes, NameLists()[static_cast<std::size_t>(turn - 1)]);
  Expression expression;
  if (!Accepts([&] { expression = ParseSpokenKernel(bytes, Spoken()); })) return;
  const std::string printed = PrintSpoken(expression, Spoken());
  Require(ParseSpokenKernel(printed, Spoken()) == expression, "spoken and read it is another: " + printed);
}

}  // namespace

INSTANTGP_DOOR(kernel, KernelDoor)

}  // namespace instantgp::fuzz

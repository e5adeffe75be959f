#include "tests/support/kernel_text.h"

#include "instantgp/kernel/parse.h"

namespace instantgp::testing {

std::string TextOf(const Structure& structure) {
  return Print(ToExpression(structure), DefaultColumnNames(structure.columns.back() + 1));
}

Structure StructureOf(const std::string& text, int d) {
  return ToStructure(ParseKernel(text, DefaultColumnNames(d))).value();
}

}  // namespace instantgp::testing

// Kernels as text whose lengths are in words: "PER(period=12 months)".
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "instantgp/kernel/expression.h"

namespace instantgp {

// A fixed period or lengthscale on a column (or Expression::kEveryColumn) in words; empty: the number is printed.
using LengthPrinter = std::function<std::string(int column, double length)>;

// As Print and PrintShort of expression.h.
std::string Print(const Expression& expression, const std::vector<std::string>& column_names,
                  const LengthPrinter& length);
std::string PrintShort(const Expression& expression, const std::vector<std::string>& column_names,
                       const LengthPrinter& length);

}  // namespace instantgp

// One cell to a number, without a locale.
#pragma once

#include <string_view>

namespace instantgp {

enum class CellKind {
  kNumber,    // finite
  kMissing,   // empty or one of NA NaN nan null ?
  kInfinite,  // inf, or too large for a double
  kText       // anything else
};

struct CellValue {
  CellKind kind = CellKind::kText;
  double value = 0;  // of a kNumber
};

// Decimal or scientific notation with an optional sign and blanks around it. A value too small for a double is zero.
// With `decimal_comma` a single comma may stand for the point; a cell that holds both is text, for it is a guess which
// one groups thousands.
CellValue ReadCell(std::string_view text, bool decimal_comma);

}  // namespace instantgp

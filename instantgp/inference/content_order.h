// Random rows that do not depend on the order in which a table lists them.
#pragma once

#include <cstdint>
#include <vector>

#include "instantgp/base/matrix.h"

namespace instantgp {

// All row numbers in a random order that follows from the seed and the rows' values: rows are sorted by a hash of X,
// copies of the same inputs by their number among the copies (in the order of y). O(n log n).
std::vector<int> ContentOrder(const Matrix& X, const Vector& y, std::uint64_t seed);

}  // namespace instantgp

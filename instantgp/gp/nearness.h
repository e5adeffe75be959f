// Which rows a kernel takes for near ones: a distance that is a sum over columns, the second-order expansion of
// -log(correlation) about zero.
//
//   SE      r^2 / (2 l^2)           MAT52   5 r^2 / (6 l^2)
//   MAT12   r^2 / (2 l^2)           PER     sin^2(pi r / p) / (2 l^2)
//
// A product adds the distances of its factors. In a sum every addend counts by its share of the variance, so that the
// addend of the shortest range decides. LIN, BIAS, WIE and IOU have no range: they add nothing, and what they know of
// far away must come from elsewhere (linear_part.h, NeighbourRule's anchors).
#pragma once

#include <vector>

#include "instantgp/kernel/expression.h"

namespace instantgp {

struct ColumnNearness {
  int column = 0;
  double weight = 0;  // > 0
  double period = 0;  // 0: weight (a - b)^2; else weight sin^2(pi (a - b) / period)
};
using Nearness = std::vector<ColumnNearness>;  // the heaviest first

// Parameters are logarithms in table order. Multiplying all lengthscales, or the whole kernel, by a factor changes
// distances by a common factor, and nobody's neighbours. Empty where the kernel has no range on any column.
Nearness NearnessOf(const Expression& expression, const double* log_parameters);

}  // namespace instantgp

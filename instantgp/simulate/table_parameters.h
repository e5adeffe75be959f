// Parameters of a realistic table: which columns matter and how smooth the function is, decided once per table.
//
// Every column k gets one length l_k, the distance over which the function changes along it:
//
//   nearly linear table    l_k log-uniform on 5..60, all columns
//   any other table        a share U(0,1) of the columns does not matter: l_k log-uniform on 10..100; at least one does
//                          a typical length log-uniform on 0.1 sqrt(r)..5 for r columns that matter; l_k of those is
//                          the typical length times exp(s z), z normal, s ~ U(0.1, 0.9), within 0.02..8
//
// What a symbol makes of it: SE and MAT52 take l_k as lengthscale (times exp(z / 2) for each addend of a sum on a
// column that matters). LIN takes slope variance = offset / l^2 with l = max(l_k, 0.5): a line that rises by its own
// offset over l, and steeper ones cannot have a mean near zero over [0,1], as centred targets have. PER
// takes it as lengthscale where the column does not matter or the table is nearly linear; elsewhere its lengthscale is
// log-uniform on 0.15..2, and half of the columns have periods 1 to 10 times as short as the prior's.
// Variances, offsets and periods come from their priors; in a sum each addend but one is, with probability 0.3, made
// smaller by up to exp(-6), as fits to real tables switch addends off.
#pragma once

#include <vector>

#include "instantgp/base/rng.h"
#include "instantgp/kernel/log_parameters.h"
#include "instantgp/kernel/structure.h"

namespace instantgp {

struct TableSmoothness {
  bool nearly_linear = false;
  std::vector<double> length;  // l_k
  std::vector<bool> matters;   // all true in a nearly linear table
};
TableSmoothness DrawSmoothness(int d, double nearly_linear_p, RandomStream& random);

// In the table order of ToExpression(structure), at an arbitrary overall scale; the noise is the prior's.
// smoothness.length has an entry for every column of the structure.
LogParameters DrawTableParameters(const Structure& structure, const TableSmoothness& smoothness, RandomStream& random);

}  // namespace instantgp

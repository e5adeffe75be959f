// Which columns the targets seem to depend on, each looked at by itself.
//
// Where most columns do not matter, a part of the rows shows nothing to a kernel in which all of them do: the few that
// matter must be guessed before the likelihood can tell. A column is cut into bins of equal numbers of rows; where it
// matters, the bins differ more than chance lets them:
//   F = sum_b n_b (mean_b u - mean u)^2 / ((B - 1) var u),   about 1 for a column that does not matter
// for u = y, and for u = |y - mean y|, which sees a factor of a product too (x1 sin x2 has no mean in x1 or x2).
#pragma once

#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/kernel/structure.h"

namespace instantgp {

// The larger F of each of the columns of X (n, d). Does not depend on the order of the rows.
Vector RelevanceOf(const Matrix& X, const Vector& y);

// theta (p + 1, K) with further hypotheses from kFewestColumnsToGuess columns on: the two, four and eight most relevant
// columns matter, the others hardly.
inline constexpr int kFewestColumnsToGuess = 8;
Matrix WithGuessedColumns(const Structure& structure, const Matrix& X, const Vector& y, const Matrix& theta);

}  // namespace instantgp

// Inputs of a realistic table: correlated, clustered, skewed, of few levels.
//
// Rows start as normal vectors. In 6 of 10 tables they share 1 to d/2 factors (a Gaussian copula of low rank) that
// carry 10 to 97 percent of the variance; in a quarter they gather around 2 to 8 centres. Each column is then given its
// shape: a share of the columns, drawn per table and small in most, has 2 to 10 levels, often 2; the others are uniform
// (45 percent), normal (15), a power of a uniform (20) or log-normal (20). A single column takes equal steps in 4 of 10
// tables, as time does.
#pragma once

#include "instantgp/base/matrix.h"
#include "instantgp/base/rng.h"

namespace instantgp {

// X (rows, d), each column mapped to [0,1] by its smallest and largest value among the first `training` rows, as the
// data layer does; none of them is constant there. 2 <= training <= rows.
void DrawTableInputs(Index rows, Index training, int d, RandomStream& random, Matrix& X);

}  // namespace instantgp

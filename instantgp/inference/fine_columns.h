// Columns along which the targets are a rough function: a school's number, an hour's rate, anything that says of which
// group a row is.
//
// Steps from smooth starts do not find such a column, and a part of the rows hides it: what repeats within a group is
// seen between rows of the same group only. But rows in the order of one column show it at once. Of independent
// targets, neighbours in any order differ by twice the variance, so
//   q = sum_i (y_(i+1) - y_(i))^2 / (2 sum_i (y_i - mean y)^2)
// (von Neumann's ratio, along a column) is about 1 where a column says nothing, and the share of the variance that
// remains between neighbours where it does.
#pragma once

#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/inference/spread.h"
#include "instantgp/kernel/log_parameters.h"

namespace instantgp {

// q of each column of X (n, d), equal values in every order alike: does not depend on the order of the rows. 1 for
// targets that are all the same.
Vector LeftBetweenNeighbours(const Matrix& X, const Vector& y);

// Candidates for the columns that leave less than `share` between neighbours, at most two: the column's lengthscales of
// SE and MAT52 of the size of its gaps, all others flat, the kernel's variance that of y, everything else as in
// `answer`.
std::vector<NoiseLadder> FineLadders(const Covariance& covariance, const Matrix& X, const Vector& y,
                                     const LogParameters& answer, double share);

}  // namespace instantgp

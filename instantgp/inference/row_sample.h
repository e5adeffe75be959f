// Rows that stand for a larger table.
#pragma once

#include <vector>

#include "instantgp/base/matrix.h"

namespace instantgp {

// `count` of the rows of X (n, d), spread evenly over the data: rows are put in the order of a space-filling (Morton)
// curve through [0,1]^d and every (n / count)-th is taken, so dense regions keep their share and none is left out.
// Depends on the values, not on the order of rows or columns. Ascending; all rows when count >= n.
std::vector<int> SpreadRows(const Matrix& X, const Vector& y, int count);

// Some rows of a table.
struct RowSample {
  Matrix X;
  Vector y;
};
RowSample SpreadSample(const Matrix& X, const Vector& y, int count);  // SpreadRows()

Matrix SelectRows(const Matrix& X, const std::vector<int>& rows);
Vector SelectRows(const Vector& y, const std::vector<int>& rows);

}  // namespace instantgp

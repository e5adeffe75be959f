// Matrices that are used again with another size.
#pragma once

#include "instantgp/base/matrix.h"

namespace instantgp {

// A.resize(rows, cols) that memory may run out in. Eigen (3.4) frees the old block before it asks for the new one and
// forgets to forget it: where std::bad_alloc leaves A.resize(), the destructor frees the block a second time.
template <typename Dense>
void Resize(Dense& A, Index rows, Index cols = 1) {
  if (A.rows() == rows && A.cols() == cols) return;
  A.resize(0, cols);
  A.resize(rows, cols);
}

}  // namespace instantgp

// Cholesky factorisation with a jitter ladder, and what is computed from the factor. LAPACK pinned to one thread.
#pragma once

#include <functional>
#include <string>

#include "instantgp/base/matrix.h"

namespace instantgp {

class ThreadPool;

inline constexpr int kTwoPartSize = 256;  // below it waking a second thread costs what it brings

struct Factorization {
  bool ok = false;
  double jitter = 0;   // added to the diagonal; 0 when none was needed
  int rung = 0;        // 0: no jitter, k: 10^(k-11) of the mean diagonal, k = 1..7
  std::string reason;  // why it failed: "the covariance holds a value that is not finite", ...
};

// A = L L^T in place on the lower triangle. On failure climbs jitter = 1e-10, 1e-9, ..., 1e-4 of the mean diagonal;
// past the ladder ok is false. LAPACK destroys A when it fails, so `rebuild` fills the lower triangle anew before each
// rung: that costs nothing in the ordinary case where keeping a copy would cost n^2 every time.
Factorization Factorize(Matrix& A, const std::function<void(Matrix&)>& rebuild);

// L^-1 b in place; L^-T b in place. `B` has n rows.
void SolveLower(const Matrix& L, Eigen::Ref<Matrix> B);
void SolveLowerTransposed(const Matrix& L, Eigen::Ref<Matrix> B);
// B L^-1 and B L^-T in place. `B` has n columns.
void SolveRightLower(const Matrix& L, Eigen::Ref<Matrix> B);
void SolveRightLowerTransposed(const Matrix& L, Eigen::Ref<Matrix> B);

// L -> (L L^T)^-1, lower triangle, in place. From kTwoPartSize rows on the work is done in two parts, always the same
// ones, on two threads of `pool` if there is one: the result does not depend on the threads.
void InvertFromFactor(Matrix& L, ThreadPool* pool = nullptr);

}  // namespace instantgp

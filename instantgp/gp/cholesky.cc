#include "instantgp/gp/cholesky.h"

#include <cmath>
#include <cstddef>
#include <mutex>

#include "instantgp/base/blas_kernels.h"
#include "instantgp/base/check.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/lapack.h"

namespace instantgp {

void lapack::PinToOneThread() {
  static std::once_flag once;
  std::call_once(once, [] { SetBlasThreads(1); });
}

namespace {

constexpr int kRungs = 7;  // 1e-10 ... 1e-4

// Below this size the unblocked routines win; measured at 8..64, flat between 16 and 32.
constexpr int kInverseBase = 24;
constexpr double kOne = 1, kMinusOne = -1;

int FirstHalf(int n) { return (n / 2 + 7) / 8 * 8; }

}  // namespace

// L -> L^-1. OpenBLAS's dpotri runs level-2 code below n = 250; halving keeps the work in dtrmm and dsyrk and takes the
// whole inverse from 77 to 44 us at n = 100 and from 741 to 396 us at n = 250.
//   [A 0; B C]^-1 = [A^-1 0; -C^-1 B A^-1, C^-1]
void lapack::InvertTriangle(double* L, int n, int stride) {
  if (n <= kInverseBase) {
    int info = 0;
    lapack::dtrti2_("L", "N", &n, L, &stride, &info);
    INSTANTGP_CHECK(info == 0);
    return;
  }
  const int a = FirstHalf(n), c = n - a;
  double* B = L + a;
  double* C = L + a + static_cast<std::ptrdiff_t>(a) * stride;
  InvertTriangle(L, a, stride);
  InvertTriangle(C, c, stride);
  lapack::dtrmm_("R", "L", "N", "N", &c, &a, &kMinusOne, L, &stride, B, &stride);
  lapack::dtrmm_("L", "L", "N", "N", &c, &a, &kOne, C, &stride, B, &stride);
}

namespace {

using lapack::InvertTriangle;

// M -> M^T M, lower triangle:  [A 0; B C] -> [A^T A + B^T B, .; C^T B, C^T C]
void SquareTriangle(double* M, int n, int stride) {
  if (n <= kInverseBase) {
    int info = 0;
    lapack::dlauu2_("L", &n, M, &stride, &info);
    INSTANTGP_CHECK(info == 0);
    return;
  }
  const int a = FirstHalf(n), c = n - a;
  double* B = M + a;
  double* C = M + a + static_cast<std::ptrdiff_t>(a) * stride;
  SquareTriangle(M, a, stride);
  lapack::dsyrk_("L", "T", &a, &c, &kOne, B, &stride, &kOne, M, &stride);
  lapack::dtrmm_("L", "L", "T", "N", &c, &a, &kOne, C, &stride, B, &stride);
  SquareTriangle(C, c, stride);
}

void RunBoth(ThreadPool* pool, const std::function<void(int part)>& job) {
  if (pool != nullptr) {
    pool->Run(2, [&](int part, int) { job(part); });
  } else {
    job(0);
    job(1);
  }
}

// The two functions above, their top level cut into two parts of equal work.
void InvertInTwoParts(Matrix& L, ThreadPool* pool) {
  const int n = static_cast<int>(L.rows()), a = FirstHalf(n), c = n - a;
  double* A = L.data();
  double* B = A + a;
  double* C = B + static_cast<std::ptrdiff_t>(a) * n;
  RunBoth(pool, [&](int part) { part == 0 ? InvertTriangle(A, a, n) : InvertTriangle(C, c, n); });
  const int top = c / 2, bottom = c - top, left = a / 2, right = a - left;
  RunBoth(pool, [&](int part) {  // B <- -B A^-1, row by row
    lapack::dtrmm_("R", "L", "N", "N", part == 0 ? &top : &bottom, &a, &kMinusOne, A, &n, B + (part == 0 ? 0 : top),
                   &n);
  });
  RunBoth(pool, [&](int part) {  // B <- C^-1 B, column by column
    lapack::dtrmm_("L", "L", "N", "N", &c, part == 0 ? &left : &right, &kOne, C, &n,
                   B + (part == 0 ? 0 : static_cast<std::ptrdiff_t>(left) * n), &n);
  });
  const Matrix copy = L.bottomLeftCorner(c, a);  // one part reads B while the other overwrites it
  RunBoth(pool, [&](int part) {
    if (part == 0) {
      SquareTriangle(A, a, n);
      lapack::dsyrk_("L", "T", &a, &c, &kOne, copy.data(), &c, &kOne, A, &n);
    } else {
      lapack::dtrmm_("L", "L", "T", "N", &c, &a, &kOne, C, &n, B, &n);
      SquareTriangle(C, c, n);
    }
  });
}

// LAPACK's own test is a pivot <= 0, which a NaN slips past; one NaN or infinity anywhere reaches the last pivots.
bool TryFactorize(Matrix& A) {
  const int n = static_cast<int>(A.rows());
  int info = 0;
  lapack::dpotrf_("L", &n, A.data(), &n, &info);
  if (info != 0) return false;
  for (int i = 0; i < n; ++i) {
    if (!(A(i, i) > 0) || !std::isfinite(A(i, i))) return false;
  }
  return true;
}

void Solve(const char* side, const char* transposed, const Matrix& L, Eigen::Ref<Matrix> B) {
  const int n = static_cast<int>(L.rows()), rows = static_cast<int>(B.rows()), columns = static_cast<int>(B.cols());
  const int ldb = static_cast<int>(B.outerStride());
  lapack::PinToOneThread();
  if (B.size() > 0) {
    lapack::dtrsm_(side, "L", transposed, "N", &rows, &columns, &kOne, L.data(), &n, B.data(), &ldb);
  }
}

}  // namespace

Factorization Factorize(Matrix& A, const std::function<void(Matrix&)>& rebuild) {
  INSTANTGP_CHECK(A.rows() == A.cols() && A.rows() > 0);
  lapack::PinToOneThread();
  Factorization result;
  const double mean_diagonal = A.diagonal().mean();
  if (!std::isfinite(mean_diagonal)) {
    result.reason = "the covariance holds a value that is not finite";
    return result;
  }
  if (TryFactorize(A)) {
    result.ok = true;
    return result;
  }
  for (int rung = 1; rung <= kRungs; ++rung) {
    rebuild(A);
    const double jitter = mean_diagonal * std::pow(10.0, rung - 11);
    A.diagonal().array() += jitter;
    if (TryFactorize(A)) {
      result.ok = true;
      result.jitter = jitter;
      result.rung = rung;
      return result;
    }
  }
  rebuild(A);
  bool finite = true;
  for (Index j = 0; j < A.cols(); ++j) finite = finite && A.col(j).tail(A.rows() - j).allFinite();
  result.reason = finite ? "the covariance is not positive definite even with 1e-4 of its mean diagonal added"
                         : "the covariance holds a value that is not finite";
  return result;
}

void SolveLower(const Matrix& L, Eigen::Ref<Matrix> B) { Solve("L", "N", L, B); }
void SolveLowerTransposed(const Matrix& L, Eigen::Ref<Matrix> B) { Solve("L", "T", L, B); }
void SolveRightLower(const Matrix& L, Eigen::Ref<Matrix> B) { Solve("R", "N", L, B); }
void SolveRightLowerTransposed(const Matrix& L, Eigen::Ref<Matrix> B) { Solve("R", "T", L, B); }

void InvertFromFactor(Matrix& L, ThreadPool* pool) {
  lapack::PinToOneThread();
  const int n = static_cast<int>(L.rows());
  if (n >= kTwoPartSize) {
    InvertInTwoParts(L, pool);
    return;
  }
  InvertTriangle(L.data(), n, n);
  SquareTriangle(L.data(), n, n);
}

}  // namespace instantgp

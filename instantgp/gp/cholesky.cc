#include "instantgp/gp/cholesky.h"

#include <cmath>
#include <mutex>

#include "instantgp/base/check.h"
#include "instantgp/gp/lapack.h"

namespace instantgp {

void lapack::PinToOneThread() {
  static std::once_flag once;
  std::call_once(once, [] { openblas_set_num_threads(1); });
}

namespace {

constexpr int kRungs = 7;  // 1e-10 ... 1e-4

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

void SolveLower(const Matrix& L, Eigen::Ref<Matrix> B) {
  const int n = static_cast<int>(L.rows()), m = static_cast<int>(B.cols()), ldb = static_cast<int>(B.outerStride());
  const double one = 1;
  lapack::PinToOneThread();
  if (m > 0) lapack::dtrsm_("L", "L", "N", "N", &n, &m, &one, L.data(), &n, B.data(), &ldb);
}

void SolveLowerTransposed(const Matrix& L, Eigen::Ref<Matrix> B) {
  const int n = static_cast<int>(L.rows()), m = static_cast<int>(B.cols()), ldb = static_cast<int>(B.outerStride());
  const double one = 1;
  lapack::PinToOneThread();
  if (m > 0) lapack::dtrsm_("L", "L", "T", "N", &n, &m, &one, L.data(), &n, B.data(), &ldb);
}

void InvertFromFactor(Matrix& L) {
  const int n = static_cast<int>(L.rows());
  int info = 0;
  lapack::PinToOneThread();
  lapack::dpotri_("L", &n, L.data(), &n, &info);
  INSTANTGP_CHECK(info == 0);
}

}  // namespace instantgp

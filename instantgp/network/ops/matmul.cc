#include "instantgp/network/ops/matmul.h"

#include <Eigen/Core>

namespace instantgp {
namespace {

template <typename T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <typename T>
Eigen::Map<const RowMajor<T>, 0, Eigen::OuterStride<>> View(const T* data, int rows, int cols, int stride) {
  return {data, rows, cols, Eigen::OuterStride<>(stride)};
}
template <typename T>
Eigen::Map<RowMajor<T>, 0, Eigen::OuterStride<>> View(T* data, int rows, int cols, int stride) {
  return {data, rows, cols, Eigen::OuterStride<>(stride)};
}

}  // namespace

template <typename T>
void MatMul(int m, int n, int k, const T* A, int lda, const T* B, int ldb, T* C, int ldc, const Epilogue<T>& epilogue) {
  auto c = View(C, m, n, ldc);
  if (epilogue.accumulate) {
    c.noalias() += View(A, m, k, lda) * View(B, k, n, ldb);
  } else {
    c.noalias() = View(A, m, k, lda) * View(B, k, n, ldb);
  }
  if (epilogue.bias != nullptr) c.rowwise() += View(epilogue.bias, 1, n, n).row(0);
  if (epilogue.relu) c = c.cwiseMax(T(0)).eval();
}

template <typename T>
void MatMulTransposedB(int m, int n, int k, const T* A, int lda, const T* B, int ldb, T* C, int ldc, bool accumulate,
                       T* /*scratch*/) {
  auto c = View(C, m, k, ldc);
  if (accumulate) {
    c.noalias() += View(A, m, n, lda) * View(B, k, n, ldb).transpose();
  } else {
    c.noalias() = View(A, m, n, lda) * View(B, k, n, ldb).transpose();
  }
}

template <typename T>
void MatMulTransposedA(int m, int n, int k, const T* A, int lda, const T* B, int ldb, T* C, int ldc) {
  View(C, k, n, ldc).noalias() += View(A, m, k, lda).transpose() * View(B, m, n, ldb);
}

template void MatMul(int, int, int, const float*, int, const float*, int, float*, int, const Epilogue<float>&);
template void MatMul(int, int, int, const double*, int, const double*, int, double*, int, const Epilogue<double>&);
template void MatMulTransposedB(int, int, int, const float*, int, const float*, int, float*, int, bool, float*);
template void MatMulTransposedB(int, int, int, const double*, int, const double*, int, double*, int, bool, double*);
template void MatMulTransposedA(int, int, int, const float*, int, const float*, int, float*, int);
template void MatMulTransposedA(int, int, int, const double*, int, const double*, int, double*, int);

}  // namespace instantgp

// Matrix products on row-major matrices, the inner loops of every linear layer.
#pragma once

#include <cstddef>

namespace instantgp {

// What is done to a product on its way to memory.
template <typename T>
struct Epilogue {
  const T* bias = nullptr;  // (n), added to every row
  bool accumulate = false;  // C += ... instead of C = ...
  bool relu = false;        // max(0, .) last
};

// Values of scratch, aligned as an Arena aligns them, that the products with a (k, n) matrix of weights need.
template <typename T>
std::size_t MatMulScratch(int n, int k);

// C (m, n) = A (m, k) B (k, n). ld* are row strides.
template <typename T>
void MatMul(int m, int n, int k, const T* A, int lda, const T* B, int ldb, T* C, int ldc, const Epilogue<T>& epilogue,
            T* scratch);

// C (m, k) = A (m, n) B (k, n)^T, or += with accumulate. Scratch: MatMulScratch(k, n).
template <typename T>
void MatMulTransposedB(int m, int n, int k, const T* A, int lda, const T* B, int ldb, T* C, int ldc, bool accumulate,
                       T* scratch);

// C (k, n) += A (m, k)^T B (m, n)
template <typename T>
void MatMulTransposedA(int m, int n, int k, const T* A, int lda, const T* B, int ldb, T* C, int ldc);

}  // namespace instantgp

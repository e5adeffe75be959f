#include "instantgp/network/ops/matmul.h"

#include <algorithm>
#include <mutex>

#include "instantgp/base/blas_kernels.h"
#include "instantgp/network/ops/simd.h"
// After highway.h.
#include <hwy/cache_control.h>

extern "C" {
void sgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c,
            const int* ldc);
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc);
}

namespace instantgp {
namespace {

using namespace simd;

constexpr int kRows = 6;
constexpr int kFewRows = 8 * kRows;

// Weights up to this size stay in the second-level cache beside the activations, and our tiles beat a general GEMM that
// packs both operands; above it OpenBLAS's blocking wins.
constexpr std::size_t kLargestOwn = 256 * 192;
bool UseBlas(int n, int k) { return static_cast<std::size_t>(n) * k > kLargestOwn; }

void Gemm(char ta, char tb, int m, int n, int k, const float* a, int lda, const float* b, int ldb, float beta, float* c,
          int ldc) {
  const float one = 1;
  sgemm_(&ta, &tb, &m, &n, &k, &one, a, &lda, b, &ldb, &beta, c, &ldc);
}
void Gemm(char ta, char tb, int m, int n, int k, const double* a, int lda, const double* b, int ldb, double beta,
          double* c, int ldc) {
  const double one = 1;
  dgemm_(&ta, &tb, &m, &n, &k, &one, a, &lda, b, &ldb, &beta, c, &ldc);
}

// C = op(A) op(B) + beta C for row-major matrices: the column-major product of the swapped operands. Parallelism is
// ours, over datasets; OpenBLAS stays on the caller's thread.
template <typename T>
void BlasGemm(char ta, char tb, int m, int n, int k, const T* A, int lda, const T* B, int ldb, T beta, T* C, int ldc) {
  static std::once_flag once;
  std::call_once(once, [] { SetBlasThreads(1); });
  Gemm(tb, ta, n, m, k, B, ldb, A, lda, beta, C, ldc);
}

// Panels of kPanel columns, each (k, kPanel) contiguous; columns past n are zero.
template <typename T>
void Pack(int k, int n, const T* B, int ldb, T* packed) {
  constexpr int W = kPanel<T>, N = kLanes<T>;
  const Tag<T> d;
  for (int j = 0; j < n; j += W) {
    const int columns = std::min(W, n - j);
    for (int p = 0; p < k; ++p, packed += W) {
      const T* row = B + static_cast<std::size_t>(p) * ldb + j;
      if (columns == W) {
        hn::Store(hn::LoadU(d, row), d, packed);
        hn::Store(hn::LoadU(d, row + N), d, packed + N);
      } else {
        std::fill(std::copy_n(row, columns, packed), packed + W, T(0));
      }
    }
  }
}

template <typename T>
HWY_INLINE void Prefetch(int rows, int columns, const T* A, int lda) {
  constexpr int kLine = 64 / sizeof(T);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; j += kLine) hwy::Prefetch(A + static_cast<std::size_t>(i) * lda + j);
  }
}

// The panels of a matrix: the first, the way from one to the next, and the stride of a panel's rows.
template <typename T>
struct Panels {
  const T* first;
  std::size_t step;
  std::size_t stride;
};

template <typename T>
Panels<T> Packed(int k, const T* packed) {
  return {packed, static_cast<std::size_t>(k) * kPanel<T>, kPanel<T>};
}

// C (m, n) = A (m, k) B, B given by its panels from column `begin` on.
template <typename T>
void MultiplyPanels(int m, int begin, int n, int k, const T* A, int lda, const Panels<T>& B, T* C, int ldc,
                    const Epilogue<T>& epilogue) {
  constexpr int W = kPanel<T>, N = kLanes<T>;
  const Tag<T> d;
  const T* panel = B.first;
  for (int j = begin; j < n; j += W, panel += B.step) {
    const bool full = j + W <= n;
    ForEachRowTile<kRows>(m, [&](auto rows, int i) HWY_ATTR {
      constexpr int R = decltype(rows)::value;
      Vec<T> sum[R][2];
      T* c = C + static_cast<std::size_t>(i) * ldc + j;
      HWY_ALIGN T edge[R][W];  // stands in for C where the panel reaches past the last column
      std::size_t stride = ldc;
      if (!full) {
        for (int r = 0; r < R; ++r) {
          for (int e = 0; e < n - j; ++e) edge[r][e] = epilogue.accumulate ? c[r * ldc + e] : T(0);
          for (int e = n - j; e < W; ++e) edge[r][e] = T(0);
        }
        c = edge[0];
        stride = W;
      }
      HWY_ALIGN T bias[W] = {};
      if (epilogue.bias != nullptr) std::copy_n(epilogue.bias + j, std::min(W, n - j), bias);
      const Vec<T> bias0 = hn::Load(d, bias), bias1 = hn::Load(d, bias + N);
      INSTANTGP_UNROLL
      for (int r = 0; r < R; ++r) {
        sum[r][0] = bias0;
        sum[r][1] = bias1;
      }
      if (epilogue.accumulate) {
        INSTANTGP_UNROLL
        for (int r = 0; r < R; ++r) {
          sum[r][0] = hn::Add(sum[r][0], hn::LoadU(d, c + r * stride));
          sum[r][1] = hn::Add(sum[r][1], hn::LoadU(d, c + r * stride + N));
        }
      }
      MultiplyTile<R, 2>(k, A + static_cast<std::size_t>(i) * lda, lda, panel, B.stride, sum);
      if (epilogue.relu) {
        INSTANTGP_UNROLL
        for (int r = 0; r < R; ++r) {
          sum[r][0] = hn::Max(sum[r][0], hn::Zero(d));
          sum[r][1] = hn::Max(sum[r][1], hn::Zero(d));
        }
      }
      INSTANTGP_UNROLL
      for (int r = 0; r < R; ++r) {
        hn::StoreU(sum[r][0], d, c + r * stride);
        hn::StoreU(sum[r][1], d, c + r * stride + N);
      }
      if (!full) {
        T* out = C + static_cast<std::size_t>(i) * ldc + j;
        for (int r = 0; r < R; ++r) std::copy_n(edge[r], n - j, out + static_cast<std::size_t>(r) * ldc);
      }
    });
  }
}

}  // namespace

template <typename T>
std::size_t MatMulScratch(int n, int k) {
  return static_cast<std::size_t>(k) * RoundUp(n, kPanel<T>);
}

template <typename T>
void MatMul(int m, int n, int k, const T* A, int lda, const T* B, int ldb, T* C, int ldc, const Epilogue<T>& epilogue,
            T* scratch) {
  if (!UseBlas(n, k)) {
    constexpr int W = kPanel<T>;
    // Few rows do not repay the packing of what they read in place; only a panel that reaches past the end is copied.
    const int in_place = m <= kFewRows ? n / W * W : 0;
    MultiplyPanels(m, 0, in_place, k, A, lda, {B, W, static_cast<std::size_t>(ldb)}, C, ldc, epilogue);
    if (in_place == n) return;
    Pack(k, n - in_place, B + in_place, ldb, scratch);
    MultiplyPanels(m, in_place, n, k, A, lda, Packed(k, scratch), C, ldc, epilogue);
    return;
  }
  BlasGemm('N', 'N', m, n, k, A, lda, B, ldb, T(epilogue.accumulate ? 1 : 0), C, ldc);
  if (epilogue.bias == nullptr && !epilogue.relu) return;
  for (int i = 0; i < m; ++i) {
    T* row = C + static_cast<std::size_t>(i) * ldc;
    for (int j = 0; j < n; ++j) {
      const T value = row[j] + (epilogue.bias != nullptr ? epilogue.bias[j] : T(0));
      row[j] = epilogue.relu ? std::max(value, T(0)) : value;
    }
  }
}

template <typename T>
void MatMulTransposedB(int m, int n, int k, const T* A, int lda, const T* B, int ldb, T* C, int ldc, bool accumulate,
                       T* scratch) {
  if (UseBlas(n, k)) {
    BlasGemm('N', 'T', m, k, n, A, lda, B, ldb, T(accumulate ? 1 : 0), C, ldc);
    return;
  }
  // C (m, k) = A (m, n) B^T with B^T (n, k)
  PackTransposed(k, n, B, ldb, scratch);
  MultiplyPanels(m, 0, k, n, A, lda, Packed(n, scratch), C, ldc, {.accumulate = accumulate});
}

template <typename T>
void MatMulTransposedA(int m, int n, int k, const T* A, int lda, const T* B, int ldb, T* C, int ldc) {
  if (UseBlas(n, k)) {
    BlasGemm('T', 'N', k, n, m, A, lda, B, ldb, T(1), C, ldc);
    return;
  }
  constexpr int W = kPanel<T>, N = kLanes<T>;
  constexpr int kChunk = 128;  // rows whose part of A stays in the first-level cache while the panels of B pass
  const Tag<T> d;
  Prefetch(std::min(kChunk, m), k, A, lda);
  for (int begin = 0; begin < m; begin += kChunk) {
    const int rows = std::min(kChunk, m - begin);
    const T* a = A + static_cast<std::size_t>(begin) * lda;
    const T* b = B + static_cast<std::size_t>(begin) * ldb;
    // Tiles read A column by column, which no prefetcher follows; activations of the forward pass are far away by now.
    Prefetch(std::min(kChunk, m - begin - rows), k, a + static_cast<std::size_t>(rows) * lda, lda);
    int j = 0;
    for (; j + W <= n; j += W) {
      ForEachRowTile<kRows>(k, [&](auto tile, int i) HWY_ATTR {
        constexpr int R = decltype(tile)::value;
        Vec<T> sum[R][2];
        T* c = C + static_cast<std::size_t>(i) * ldc + j;
        INSTANTGP_UNROLL
        for (int r = 0; r < R; ++r) {
          sum[r][0] = hn::LoadU(d, c + static_cast<std::size_t>(r) * ldc);
          sum[r][1] = hn::LoadU(d, c + static_cast<std::size_t>(r) * ldc + N);
        }
        MultiplyTransposedTile<R, 2>(rows, a + i, lda, b + j, ldb, sum);
        INSTANTGP_UNROLL
        for (int r = 0; r < R; ++r) {
          hn::StoreU(sum[r][0], d, c + static_cast<std::size_t>(r) * ldc);
          hn::StoreU(sum[r][1], d, c + static_cast<std::size_t>(r) * ldc + N);
        }
      });
    }
    // Columns past the last panel: heads have two to seven outputs and few rows.
    for (int p = 0; p < rows; ++p) {
      for (int i = 0; i < k; ++i) {
        const T value = a[static_cast<std::size_t>(p) * lda + i];
        for (int e = j; e < n; ++e) {
          C[static_cast<std::size_t>(i) * ldc + e] += value * b[static_cast<std::size_t>(p) * ldb + e];
        }
      }
    }
  }
}

#define INSTANTGP_INSTANTIATE(T)                                                                      \
  template std::size_t MatMulScratch<T>(int, int);                                                    \
  template void MatMul(int, int, int, const T*, int, const T*, int, T*, int, const Epilogue<T>&, T*); \
  template void MatMulTransposedB(int, int, int, const T*, int, const T*, int, T*, int, bool, T*);    \
  template void MatMulTransposedA(int, int, int, const T*, int, const T*, int, T*, int);
INSTANTGP_INSTANTIATE(float)
INSTANTGP_INSTANTIATE(double)
#undef INSTANTGP_INSTANTIATE

}  // namespace instantgp

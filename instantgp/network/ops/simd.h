// Highway vectors for float and double, and the register tile all products are made of.
//
// Compiled for the instruction set of the build (static dispatch). Include from .cc files only.
#pragma once

// x86-64-v3 has everything AVX2 code needs but not the AES instructions Highway asks for by default.
#if defined(__AVX2__) && !defined(__AES__) && !defined(HWY_DISABLE_PCLMUL_AES)
#define HWY_DISABLE_PCLMUL_AES
#endif
#include <hwy/highway.h>
// After highway.h.
#include <hwy/contrib/math/math-inl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#define INSTANTGP_UNROLL _Pragma("GCC unroll 16")

namespace instantgp::simd {

namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
using Tag = hn::ScalableTag<T>;
template <typename T>
using Vec = hn::Vec<Tag<T>>;

// Values per vector, and columns of a panel: two vectors wide, so that a tile of six rows fills the sixteen registers
// of AVX2 (twelve sums, two columns, one broadcast).
template <typename T>
inline constexpr int kLanes = static_cast<int>(hn::MaxLanes(Tag<T>()));
template <typename T>
inline constexpr int kPanel = 2 * kLanes<T>;

inline constexpr int RoundUp(int value, int multiple) { return (value + multiple - 1) / multiple * multiple; }

// 2^x for x <= 126. float: relative error 3e-7; below -126 the result is 2^-126, small enough to stand for 0 in a
// softmax.
HWY_INLINE Vec<float> Exp2(Vec<float> x) {
  const Tag<float> d;
  const hn::RebindToSigned<Tag<float>> di;
  // Adding 1.5 2^23 leaves round(x) in the low bits of the sum; x = round(x) + f, 2^f by a minimax polynomial.
  const auto magic = hn::Set(d, 12582912.0f);
  x = hn::Max(x, hn::Set(d, -126.0f));
  const auto shifted = hn::Add(x, magic);
  const auto f = hn::Sub(x, hn::Sub(shifted, magic));
  auto p = hn::Set(d, 0.0013276472454890609f);
  p = hn::MulAdd(p, f, hn::Set(d, 0.009675541892647743f));
  p = hn::MulAdd(p, f, hn::Set(d, 0.05550713092088699f));
  p = hn::MulAdd(p, f, hn::Set(d, 0.24022120237350464f));
  p = hn::MulAdd(p, f, hn::Set(d, 0.6931469440460205f));
  p = hn::MulAdd(p, f, hn::Set(d, 1.0000001192092896f));
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(di, shifted));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, p), exponent));
}
HWY_INLINE Vec<double> Exp2(Vec<double> x) {
  const Tag<double> d;
  return hn::Exp(d, hn::Mul(hn::Max(x, hn::Set(d, -1000.0)), hn::Set(d, 0.69314718055994530942)));
}

// Products that MultiplyTile adds up before it adds them to the sum. Without a fused multiply-add each of them is
// rounded: with all in one sum SSE's answers were up to 1.4e-5 from those in double, in runs of 16 they are 0.4e-5
// (AVX2, all in one sum: 0.7e-5).
inline constexpr int kRun = HWY_NATIVE_FMA ? 0 : 16;  // 0: all

template <int R, int V, typename T>
HWY_INLINE void AddProducts(int k, const T* HWY_RESTRICT A, std::size_t lda, const T* HWY_RESTRICT B, std::size_t ldb,
                            Vec<T> (&sum)[R][V]) {
  const Tag<T> d;
  for (int p = 0; p < k; ++p) {
    Vec<T> b[V];
    INSTANTGP_UNROLL
    for (int v = 0; v < V; ++v) b[v] = hn::LoadU(d, B + v * kLanes<T>);
    INSTANTGP_UNROLL
    for (int r = 0; r < R; ++r) {
      const Vec<T> a = hn::Set(d, A[r * lda + p]);
      INSTANTGP_UNROLL
      for (int v = 0; v < V; ++v) sum[r][v] = hn::MulAdd(a, b[v], sum[r][v]);
    }
    B += ldb;
  }
}

// sum[r][v] += sum over p < k of A[r, p] B[p, v]: R rows of A (row stride lda), a panel B of V vectors per p (row
// stride ldb).
template <int R, int V, typename T>
HWY_INLINE void MultiplyTile(int k, const T* HWY_RESTRICT A, std::size_t lda, const T* HWY_RESTRICT B, std::size_t ldb,
                             Vec<T> (&sum)[R][V]) {
  if constexpr (kRun == 0) {
    AddProducts<R, V>(k, A, lda, B, ldb, sum);
  } else {
    for (int p = 0; p < k; p += kRun) {
      Vec<T> part[R][V];
      INSTANTGP_UNROLL
      for (int r = 0; r < R; ++r) {
        INSTANTGP_UNROLL
        for (int v = 0; v < V; ++v) part[r][v] = hn::Zero(Tag<T>());
      }
      AddProducts<R, V>(std::min(kRun, k - p), A + p, lda, B + p * ldb, ldb, part);
      INSTANTGP_UNROLL
      for (int r = 0; r < R; ++r) {
        INSTANTGP_UNROLL
        for (int v = 0; v < V; ++v) sum[r][v] = hn::Add(sum[r][v], part[r][v]);
      }
    }
  }
}

// sum[r][v] += sum over p < m of A[p, r] B[p, v]: the same with A transposed, R consecutive columns of A.
template <int R, int V, typename T>
HWY_INLINE void MultiplyTransposedTile(int m, const T* HWY_RESTRICT A, std::size_t lda, const T* HWY_RESTRICT B,
                                       std::size_t ldb, Vec<T> (&sum)[R][V]) {
  const Tag<T> d;
  for (int p = 0; p < m; ++p) {
    Vec<T> b[V];
    INSTANTGP_UNROLL
    for (int v = 0; v < V; ++v) b[v] = hn::LoadU(d, B + v * kLanes<T>);
    INSTANTGP_UNROLL
    for (int r = 0; r < R; ++r) {
      const Vec<T> a = hn::Set(d, A[r]);
      INSTANTGP_UNROLL
      for (int v = 0; v < V; ++v) sum[r][v] = hn::MulAdd(a, b[v], sum[r][v]);
    }
    A += lda;
    B += ldb;
  }
}

// block (8, stride_out) = the transpose of 8 rows of 8 floats, for vectors of 8.
template <typename T>
HWY_INLINE void TransposeEight(const T* source, std::size_t stride, T* block, std::size_t stride_out) {
  const Tag<T> d;
  const hn::Repartition<double, Tag<T>> dw;
  // Pairs of rows, then pairs of pairs within each half, then the halves.
  const auto four = [&](const T* s, Vec<T>(&out)[4]) HWY_ATTR {
    const Vec<T> r0 = hn::LoadU(d, s), r1 = hn::LoadU(d, s + stride);
    const Vec<T> r2 = hn::LoadU(d, s + 2 * stride), r3 = hn::LoadU(d, s + 3 * stride);
    const auto low01 = hn::BitCast(dw, hn::InterleaveLower(d, r0, r1));
    const auto high01 = hn::BitCast(dw, hn::InterleaveUpper(d, r0, r1));
    const auto low23 = hn::BitCast(dw, hn::InterleaveLower(d, r2, r3));
    const auto high23 = hn::BitCast(dw, hn::InterleaveUpper(d, r2, r3));
    out[0] = hn::BitCast(d, hn::InterleaveLower(dw, low01, low23));
    out[1] = hn::BitCast(d, hn::InterleaveUpper(dw, low01, low23));
    out[2] = hn::BitCast(d, hn::InterleaveLower(dw, high01, high23));
    out[3] = hn::BitCast(d, hn::InterleaveUpper(dw, high01, high23));
  };
  Vec<T> upper[4], lower[4];
  four(source, upper);
  four(source + 4 * stride, lower);
  INSTANTGP_UNROLL
  for (int e = 0; e < 4; ++e) {
    hn::StoreU(hn::ConcatLowerLower(d, lower[e], upper[e]), d, block + e * stride_out);
    hn::StoreU(hn::ConcatUpperUpper(d, lower[e], upper[e]), d, block + (e + 4) * stride_out);
  }
}

// panels (ceil(count / W), k, W) = the transpose of source (count, k) in panels of W = kPanel rows; past count it is
// zero.
template <typename T>
HWY_NOINLINE void PackTransposed(int count, int k, const T* source, std::size_t stride, T* panels) {
  constexpr int W = kPanel<T>;
  for (int j = 0; j < count; j += W, panels += static_cast<std::size_t>(k) * W) {
    int t = 0;
    if constexpr (sizeof(T) == 4 && kLanes<T> == 8) {
      if (k % 8 == 0) {
        for (; t < W && j + t + 8 <= count; t += 8) {
          for (int e = 0; e < k; e += 8) TransposeEight(source + (j + t) * stride + e, stride, panels + e * W + t, W);
        }
      }
    }
    for (; t < W; ++t) {
      if (j + t < count) {
        const T* row = source + (j + t) * stride;
        for (int e = 0; e < k; ++e) panels[e * W + t] = row[e];
      } else {
        for (int e = 0; e < k; ++e) panels[e * W + t] = T(0);
      }
    }
  }
}

// Calls body(std::integral_constant<int, R>, first_row) over `rows` rows in tiles of at most kRows.
template <int kRows, typename Body>
HWY_INLINE void ForEachRowTile(int rows, Body&& body) {
  int i = 0;
  for (; i + kRows <= rows; i += kRows) body(std::integral_constant<int, kRows>(), i);
  const auto rest = [&]<int R>(auto&& self, std::integral_constant<int, R>) -> void {
    if constexpr (R > 0) {
      if (rows - i == R) {
        body(std::integral_constant<int, R>(), i);
      } else {
        self(self, std::integral_constant<int, R - 1>());
      }
    }
  };
  rest(rest, std::integral_constant<int, kRows - 1>());
}

}  // namespace instantgp::simd

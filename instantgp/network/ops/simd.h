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

#include <cstddef>
#include <cstdint>

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

// sum[r][v] += sum over p < k of A[r, p] B[p, v]: R rows of A (row stride lda), a panel B of V vectors per p (row
// stride ldb).
template <int R, int V, typename T>
HWY_INLINE void MultiplyTile(int k, const T* HWY_RESTRICT A, std::size_t lda, const T* HWY_RESTRICT B, std::size_t ldb,
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

// The inner loops of attention.cc: packing, scores, exponentials and the products with them. Include from attention.cc
// only.
//
// Nothing here is inlined across loops on purpose: GCC would keep the constants of the exponential in registers through
// the products and spill their sums instead.
#pragma once

#include <algorithm>

#include "instantgp/network/ops/simd.h"

namespace instantgp::simd {

inline constexpr int kStep = 6;  // rows of a register tile two vectors wide

// y (c) = factor x
template <typename T>
HWY_INLINE void ScaleInto(int c, T factor, const T* HWY_RESTRICT x, T* HWY_RESTRICT y) {
  constexpr int N = kLanes<T>;
  const Tag<T> d;
  const Vec<T> f = hn::Set(d, factor);
  int e = 0;
  for (; e + N <= c; e += N) hn::StoreU(hn::Mul(f, hn::LoadU(d, x + e)), d, y + e);
  for (; e < c; ++e) y[e] = factor * x[e];
}

template <typename T>
HWY_INLINE T Dot(int c, const T* x, const T* y) {
  constexpr int N = kLanes<T>;
  const Tag<T> d;
  Vec<T> sum = hn::Zero(d);
  int e = 0;
  for (; e + N <= c; e += N) sum = hn::MulAdd(hn::LoadU(d, x + e), hn::LoadU(d, y + e), sum);
  T result = hn::GetLane(hn::SumOfLanes(d, sum));
  for (; e < c; ++e) result += x[e] * y[e];
  return result;
}

// rows (padded, channels) = factor * source (count, c); padding is zero.
template <typename T>
HWY_NOINLINE void PackRows(int count, int padded, int c, int channels, const T* source, std::size_t stride, T factor,
                           T* rows) {
  for (int i = 0; i < count; ++i, rows += channels) {
    ScaleInto(c, factor, source + i * stride, rows);
    for (int e = c; e < channels; ++e) rows[e] = T(0);
  }
  std::fill(rows, rows + static_cast<std::size_t>(padded - count) * channels, T(0));
}

template <typename T>
HWY_NOINLINE T LargestSquare(int count, int c, const T* rows, std::size_t stride) {
  T largest = 0;
  for (int i = 0; i < count; ++i) largest = std::max(largest, Dot(c, rows + i * stride, rows + i * stride));
  return largest;
}

// S (rows, padded) = start[r] + A (rows, c) B, B in panels; rows a multiple of kStep. kChannels = c, or 0 for any.
template <int kChannels, typename T>
HWY_NOINLINE void ScoresOf(int rows, int padded, int c, const T* A, std::size_t lda, const T* panels, const T* start,
                           T* S) {
  constexpr int W = kPanel<T>, N = kLanes<T>;
  const Tag<T> d;
  if (kChannels > 0) c = kChannels;
  for (int j = 0; j < padded; j += W, panels += static_cast<std::size_t>(c) * W) {
    for (int i = 0; i < rows; i += kStep) {
      Vec<T> sum[kStep][2];
      INSTANTGP_UNROLL
      for (int r = 0; r < kStep; ++r) sum[r][0] = sum[r][1] = hn::Set(d, start[i + r]);
      MultiplyTile<kStep, 2>(c, A + i * lda, lda, panels, W, sum);
      T* out = S + static_cast<std::size_t>(i) * padded + j;
      INSTANTGP_UNROLL
      for (int r = 0; r < kStep; ++r) {
        hn::StoreU(sum[r][0], d, out + static_cast<std::size_t>(r) * padded);
        hn::StoreU(sum[r][1], d, out + static_cast<std::size_t>(r) * padded + N);
      }
    }
  }
}

template <typename T>
void Scores(int rows, int padded, int c, const T* A, std::size_t lda, const T* panels, const T* start, T* S) {
  if (c == 8 && lda == 8) {
    ScoresOf<8>(rows, padded, c, A, 8, panels, start, S);
  } else if (c == 16 && lda == 16) {
    ScoresOf<16>(rows, padded, c, A, 16, panels, start, S);
  } else {
    ScoresOf<0>(rows, padded, c, A, lda, panels, start, S);
  }
}

// S = 2^(S - shift) over the true keys, 0 over the padding; returns the sum.
template <typename T>
HWY_NOINLINE T ExponentialRow(int keys, int padded, T shift, T* S) {
  constexpr int N = kLanes<T>;
  const Tag<T> d;
  const Vec<T> minus = hn::Set(d, -shift);
  Vec<T> sum0 = hn::Zero(d), sum1 = hn::Zero(d);
  int j = 0;
  for (; j + 2 * N <= keys; j += 2 * N) {
    const Vec<T> p0 = Exp2(hn::Add(hn::LoadU(d, S + j), minus));
    const Vec<T> p1 = Exp2(hn::Add(hn::LoadU(d, S + j + N), minus));
    hn::StoreU(p0, d, S + j);
    hn::StoreU(p1, d, S + j + N);
    sum0 = hn::Add(sum0, p0);
    sum1 = hn::Add(sum1, p1);
  }
  for (; j < padded; j += N) {
    const auto valid = hn::FirstN(d, static_cast<std::size_t>(std::max(0, keys - j)));
    const Vec<T> p = hn::IfThenElseZero(valid, Exp2(hn::Add(hn::LoadU(d, S + j), minus)));
    hn::StoreU(p, d, S + j);
    sum0 = hn::Add(sum0, p);
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(sum0, sum1)));
}

// P = 2^P, dS = P dS; count is a multiple of two vectors.
template <typename T>
HWY_NOINLINE void ExponentialBackward(std::size_t count, T* P, T* dS) {
  constexpr int N = kLanes<T>;
  const Tag<T> d;
  for (std::size_t j = 0; j < count; j += 2 * N) {
    const Vec<T> p0 = Exp2(hn::LoadU(d, P + j));
    const Vec<T> p1 = Exp2(hn::LoadU(d, P + j + N));
    hn::StoreU(p0, d, P + j);
    hn::StoreU(p1, d, P + j + N);
    hn::StoreU(hn::Mul(p0, hn::LoadU(d, dS + j)), d, dS + j);
    hn::StoreU(hn::Mul(p1, hn::LoadU(d, dS + j + N)), d, dS + j + N);
  }
}

// C (rows, channels) = A (rows, k) B (k, channels), rows a multiple of kStep, channels a multiple of a vector.
template <typename T>
HWY_NOINLINE void MultiplyRows(int rows, int k, int channels, const T* A, std::size_t lda, const T* B, T* C) {
  constexpr int N = kLanes<T>;
  const Tag<T> d;
  const auto tile = [&]<int R, int V>(int i, int e) HWY_ATTR {
    Vec<T> sum[R][V];
    INSTANTGP_UNROLL
    for (int r = 0; r < R; ++r) {
      INSTANTGP_UNROLL
      for (int v = 0; v < V; ++v) sum[r][v] = hn::Zero(d);
    }
    MultiplyTile<R, V>(k, A + i * lda, lda, B + e, channels, sum);
    INSTANTGP_UNROLL
    for (int r = 0; r < R; ++r) {
      INSTANTGP_UNROLL
      for (int v = 0; v < V; ++v) hn::StoreU(sum[r][v], d, C + (i + r) * channels + e + v * N);
    }
  };
  int e = 0;
  for (; e + 2 * N <= channels; e += 2 * N) {
    for (int i = 0; i < rows; i += kStep) tile.template operator()<kStep, 2>(i, e);
  }
  if (e < channels) {
    int i = 0;
    for (; i + 2 * kStep <= rows; i += 2 * kStep) tile.template operator()<2 * kStep, 1>(i, e);
    for (; i < rows; i += kStep) tile.template operator()<kStep, 1>(i, e);
  }
}

// C (keys, channels) += A (rows, keys)^T B (rows, channels)
template <typename T>
HWY_NOINLINE void AddTransposedProduct(int rows, int keys, int channels, const T* A, std::size_t lda, const T* B,
                                       T* C) {
  constexpr int N = kLanes<T>;
  const Tag<T> d;
  const auto tile = [&]<int R, int V>(int j, int e) HWY_ATTR {
    Vec<T> sum[R][V];
    T* c = C + static_cast<std::size_t>(j) * channels + e;
    INSTANTGP_UNROLL
    for (int r = 0; r < R; ++r) {
      INSTANTGP_UNROLL
      for (int v = 0; v < V; ++v) sum[r][v] = hn::LoadU(d, c + r * channels + v * N);
    }
    MultiplyTransposedTile<R, V>(rows, A + j, lda, B + e, channels, sum);
    INSTANTGP_UNROLL
    for (int r = 0; r < R; ++r) {
      INSTANTGP_UNROLL
      for (int v = 0; v < V; ++v) hn::StoreU(sum[r][v], d, c + r * channels + v * N);
    }
  };
  int e = 0;
  for (; e + 2 * N <= channels; e += 2 * N) {
    ForEachRowTile<kStep>(keys, [&](auto r, int j) { tile.template operator()<decltype(r)::value, 2>(j, e); });
  }
  if (e < channels) {
    ForEachRowTile<2 * kStep>(keys, [&](auto r, int j) { tile.template operator()<decltype(r)::value, 1>(j, e); });
  }
}

}  // namespace instantgp::simd

#include "instantgp/network/ops/attention.h"

#include <algorithm>
#include <cmath>

#include "instantgp/network/ops/simd.h"

// A head works on copies of its queries, keys and values laid out for register tiles: queries as rows, scaled so that
// scores are logarithms to the base 2; keys and values transposed in panels of W keys wherever products run along keys,
// and as rows where they run along channels. Rows are padded with zeros to whole tiles, keys to whole panels. The
// scores of kTileRows queries at a time stay in the first-level cache and never reach memory.

namespace instantgp {
namespace {

using namespace simd;

constexpr int kStep = 6;              // rows of a register tile two vectors wide
constexpr int kTileRows = 2 * kStep;  // queries whose scores are held at a time
constexpr double kLog2E = 1.4426950408889634074;
// Scores within +-60 (base 2) need no maximum subtracted: their exponentials and sums stay well inside float's range.
constexpr double kSafeScore = 60;

// rows (padded, channels) = factor * source (count, c); padding is zero.
template <typename T>
void PackRows(int count, int padded, int c, int channels, const T* source, std::size_t stride, T factor, T* rows) {
  for (int i = 0; i < count; ++i, rows += channels) {
    for (int e = 0; e < c; ++e) rows[e] = factor * source[i * stride + e];
    for (int e = c; e < channels; ++e) rows[e] = T(0);
  }
  std::fill(rows, rows + static_cast<std::size_t>(padded - count) * channels, T(0));
}

// panels (padded / W, c, W) = the transpose of source (count, c) in panels of W tokens; padding is zero.
template <typename T>
void PackColumns(int count, int padded, int c, const T* source, std::size_t stride, T* panels) {
  constexpr int W = kPanel<T>;
  for (int j = 0; j < padded; j += W, panels += static_cast<std::size_t>(c) * W) {
    for (int t = 0; t < W; ++t) {
      if (j + t < count) {
        const T* token = source + (j + t) * stride;
        for (int e = 0; e < c; ++e) panels[e * W + t] = token[e];
      } else {
        for (int e = 0; e < c; ++e) panels[e * W + t] = T(0);
      }
    }
  }
}

template <typename T>
T LargestNorm(int count, int c, const T* rows, std::size_t stride) {
  T largest = 0;
  for (int i = 0; i < count; ++i) {
    T norm = 0;
    for (int e = 0; e < c; ++e) norm += rows[i * stride + e] * rows[i * stride + e];
    largest = std::max(largest, norm);
  }
  return std::sqrt(largest);
}

// C (rows, channels) = A (rows, k) B (k, channels), rows a multiple of kStep, channels a multiple of a vector.
template <typename T>
void MultiplyRows(int rows, int k, int channels, const T* A, std::size_t lda, const T* B, T* C) {
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

// C (keys, channels) += A (rows, keys)^T B (rows, channels), keys a multiple of 8.
template <typename T>
void AddTransposedProduct(int rows, int keys, int channels, const T* A, std::size_t lda, const T* B, T* C) {
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
    for (int j = 0; j < keys; j += 4) tile.template operator()<4, 2>(j, e);
  }
  if (e < channels) {
    for (int j = 0; j < keys; j += 8) tile.template operator()<8, 1>(j, e);
  }
}

// Scores of kStep queries against one panel of keys, plus start[r].
template <typename T>
HWY_INLINE void ScoreTile(int c, const T* q, const T* panel, const T* start, Vec<T> (&sum)[kStep][2]) {
  const Tag<T> d;
  INSTANTGP_UNROLL
  for (int r = 0; r < kStep; ++r) sum[r][0] = sum[r][1] = hn::Set(d, start[r]);
  MultiplyTile<kStep, 2>(c, q, c, panel, kPanel<T>, sum);
}

// P (rows, padded) = 2^(q k^T) where all scores are known to be safe; sums[r] receives the sum of row r over the true
// keys.
template <typename T>
void SafeSoftmax(int rows, int keys, int padded, int c, const T* q, const T* kt, T* P, T* sums) {
  constexpr int W = kPanel<T>, N = kLanes<T>;
  const Tag<T> d;
  const T zero[kStep] = {};
  HWY_ALIGN T partial[kTileRows * N];
  std::fill(partial, partial + rows * N, T(0));
  for (int j = 0; j < padded; j += W) {
    const T* panel = kt + static_cast<std::size_t>(j) * c;
    const bool full = j + W <= keys;
    for (int i = 0; i < rows; i += kStep) {
      Vec<T> s[kStep][2];
      ScoreTile(c, q + static_cast<std::size_t>(i) * c, panel, zero, s);
      INSTANTGP_UNROLL
      for (int r = 0; r < kStep; ++r) {
        s[r][0] = Exp2(s[r][0]);
        s[r][1] = Exp2(s[r][1]);
        if (!full) {  // padded keys have score 0, not probability 0
          s[r][0] = hn::IfThenElseZero(hn::FirstN(d, static_cast<std::size_t>(std::max(0, keys - j))), s[r][0]);
          s[r][1] = hn::IfThenElseZero(hn::FirstN(d, static_cast<std::size_t>(std::max(0, keys - j - N))), s[r][1]);
        }
        hn::StoreU(s[r][0], d, P + static_cast<std::size_t>(i + r) * padded + j);
        hn::StoreU(s[r][1], d, P + static_cast<std::size_t>(i + r) * padded + j + N);
        hn::Store(hn::Add(hn::Load(d, partial + (i + r) * N), hn::Add(s[r][0], s[r][1])), d, partial + (i + r) * N);
      }
    }
  }
  for (int r = 0; r < rows; ++r) sums[r] = hn::GetLane(hn::SumOfLanes(d, hn::Load(d, partial + r * N)));
}

// The same for scores of any size: P = 2^(score - largest[r]).
template <typename T>
void AnySoftmax(int rows, int keys, int padded, int c, const T* q, const T* kt, T* P, T* sums, T* largest) {
  constexpr int W = kPanel<T>, N = kLanes<T>;
  const Tag<T> d;
  const T zero[kStep] = {};
  for (int j = 0; j < padded; j += W) {
    for (int i = 0; i < rows; i += kStep) {
      Vec<T> s[kStep][2];
      ScoreTile(c, q + static_cast<std::size_t>(i) * c, kt + static_cast<std::size_t>(j) * c, zero, s);
      for (int r = 0; r < kStep; ++r) {
        hn::StoreU(s[r][0], d, P + static_cast<std::size_t>(i + r) * padded + j);
        hn::StoreU(s[r][1], d, P + static_cast<std::size_t>(i + r) * padded + j + N);
      }
    }
  }
  for (int r = 0; r < rows; ++r) {
    T* row = P + static_cast<std::size_t>(r) * padded;
    largest[r] = *std::max_element(row, row + keys);
    const Vec<T> shift = hn::Set(d, largest[r]);
    for (int j = 0; j < padded; j += N) hn::StoreU(Exp2(hn::Sub(hn::LoadU(d, row + j), shift)), d, row + j);
    std::fill(row + keys, row + padded, T(0));
    Vec<T> sum = hn::Zero(d);
    for (int j = 0; j < padded; j += N) sum = hn::Add(sum, hn::LoadU(d, row + j));
    sums[r] = hn::GetLane(hn::SumOfLanes(d, sum));
  }
}

template <typename T>
struct HeadShape {
  int n;               // tokens of the segment
  int c;               // channels of the head
  int padded_n;        // to whole panels of keys, and to the eights of AddTransposedProduct
  int padded_c;        // to whole vectors
  std::size_t stride;  // between tokens of qkv
  T to_log2;           // the factor on queries that makes scores logarithms to the base 2

  HeadShape(int tokens, int width, int heads)
      : n(tokens),
        c(width / heads),
        padded_n(RoundUp(tokens, std::max(kPanel<T>, 8))),
        padded_c(RoundUp(width / heads, kLanes<T>)),
        stride(static_cast<std::size_t>(3) * width),
        to_log2(static_cast<T>(kLog2E / std::sqrt(static_cast<double>(width / heads)))) {}
  int padded_rows() const { return RoundUp(n, kStep); }
  std::size_t by_channel() const { return static_cast<std::size_t>(padded_n) * c; }
  std::size_t by_row() const { return static_cast<std::size_t>(padded_n) * padded_c; }
};

// One head of one segment. q, k, v point at the first token's channels; o (n, c) has the given stride.
template <typename T>
void HeadForward(const HeadShape<T>& shape, const T* q, const T* k, const T* v, T* o, std::size_t o_stride, T* lse,
                 Arena& arena) {
  const int n = shape.n, c = shape.c;
  if (n == 1) {  // P = 1
    std::copy_n(v, c, o);
    if (lse != nullptr) lse[0] = T(0);
    return;
  }
  const Arena::Mark mark = arena.Here();
  T* queries = arena.New<T>(static_cast<std::size_t>(shape.padded_rows()) * c);
  T* keys = arena.New<T>(shape.by_channel());
  T* values = arena.New<T>(shape.by_row());
  T* P = arena.New<T>(static_cast<std::size_t>(kTileRows) * shape.padded_n);
  T* out = arena.New<T>(static_cast<std::size_t>(kTileRows) * shape.padded_c);
  PackRows(n, shape.padded_rows(), c, c, q, shape.stride, shape.to_log2, queries);
  PackColumns(n, shape.padded_n, c, k, shape.stride, keys);
  PackRows(n, shape.padded_n, c, shape.padded_c, v, shape.stride, T(1), values);
  const bool safe = LargestNorm(n, c, queries, c) * LargestNorm(n, c, k, shape.stride) <= T(kSafeScore);
  T sums[kTileRows], largest[kTileRows] = {};
  for (int i = 0; i < n; i += kTileRows) {
    const int rows = std::min(kTileRows, shape.padded_rows() - i);
    const T* tile = queries + static_cast<std::size_t>(i) * c;
    // S = q k^T / sqrt(c), P = exp(S) / sum, o = P v
    if (safe) {
      SafeSoftmax(rows, n, shape.padded_n, c, tile, keys, P, sums);
    } else {
      AnySoftmax(rows, n, shape.padded_n, c, tile, keys, P, sums, largest);
    }
    MultiplyRows(rows, n, shape.padded_c, P, shape.padded_n, values, out);
    for (int r = 0; r < std::min(rows, n - i); ++r) {
      const T factor = 1 / sums[r];
      for (int e = 0; e < c; ++e) o[(i + r) * o_stride + e] = factor * out[r * shape.padded_c + e];
      if (lse != nullptr) lse[i + r] = largest[r] + std::log2(sums[r]);
    }
  }
  arena.Rewind(mark);
}

// P (rows, padded) = 2^(q k^T - lse) and dS = P (dO v^T - rowsum), both computed panel by panel.
template <typename T>
void ScoresBackward(int rows, int padded, int c, const T* q, const T* kt, const T* dout, const T* vt,
                    const T* minus_lse, const T* minus_rowsum, T* P, T* dS) {
  constexpr int W = kPanel<T>, N = kLanes<T>;
  const Tag<T> d;
  for (int j = 0; j < padded; j += W) {
    for (int i = 0; i < rows; i += kStep) {
      const std::size_t at = static_cast<std::size_t>(i) * padded + j;
      Vec<T> s[kStep][2];
      // S = q k^T / sqrt(c), P = exp(S - lse)
      ScoreTile(c, q + static_cast<std::size_t>(i) * c, kt + static_cast<std::size_t>(j) * c, minus_lse + i, s);
      INSTANTGP_UNROLL
      for (int r = 0; r < kStep; ++r) {
        hn::StoreU(Exp2(s[r][0]), d, P + at + static_cast<std::size_t>(r) * padded);
        hn::StoreU(Exp2(s[r][1]), d, P + at + static_cast<std::size_t>(r) * padded + N);
      }
      // o = P v => dP = dO v^T;  P = softmax(S) => dS = P (dP - rowsum(P dP)), and rowsum(P dP) = dO . o
      ScoreTile(c, dout + static_cast<std::size_t>(i) * c, vt + static_cast<std::size_t>(j) * c, minus_rowsum + i, s);
      INSTANTGP_UNROLL
      for (int r = 0; r < kStep; ++r) {
        const T* p = P + at + static_cast<std::size_t>(r) * padded;
        T* ds = dS + at + static_cast<std::size_t>(r) * padded;
        hn::StoreU(hn::Mul(s[r][0], hn::LoadU(d, p)), d, ds);
        hn::StoreU(hn::Mul(s[r][1], hn::LoadU(d, p + N)), d, ds + N);
      }
    }
  }
}

template <typename T>
void HeadBackward(const HeadShape<T>& shape, const T* q, const T* k, const T* v, const T* o, const T* dO,
                  std::size_t o_stride, const T* lse, T* dq, T* dk, T* dv, Arena& arena) {
  const int n = shape.n, c = shape.c;
  if (n == 1) {  // P = 1: o = v
    std::fill_n(dq, c, T(0));
    std::fill_n(dk, c, T(0));
    std::copy_n(dO, c, dv);
    return;
  }
  const Arena::Mark mark = arena.Here();
  const std::size_t rows_size = static_cast<std::size_t>(shape.padded_rows()) * c;
  T* queries = arena.New<T>(rows_size);
  T* douts = arena.New<T>(rows_size);
  T* keys = arena.New<T>(shape.by_channel());
  T* values = arena.New<T>(shape.by_channel());
  T* key_rows = arena.New<T>(shape.by_row());
  T* dkeys = arena.New<T>(shape.by_row());
  T* dvalues = arena.New<T>(shape.by_row());
  const std::size_t scores = static_cast<std::size_t>(kTileRows) * shape.padded_n;
  T* P = arena.New<T>(scores);
  T* dS = arena.New<T>(scores);
  T* out = arena.New<T>(static_cast<std::size_t>(kTileRows) * shape.padded_c);
  // Channel-padded rows of the tile's queries and output gradients, for products that run along channels.
  T* wide_queries = arena.New<T>(static_cast<std::size_t>(kTileRows) * shape.padded_c);
  T* wide_douts = arena.New<T>(static_cast<std::size_t>(kTileRows) * shape.padded_c);
  PackRows(n, shape.padded_rows(), c, c, q, shape.stride, shape.to_log2, queries);
  PackRows(n, shape.padded_rows(), c, c, dO, o_stride, T(1), douts);
  PackColumns(n, shape.padded_n, c, k, shape.stride, keys);
  PackColumns(n, shape.padded_n, c, v, shape.stride, values);
  PackRows(n, shape.padded_n, c, shape.padded_c, k, shape.stride, T(1), key_rows);
  std::fill(dkeys, dkeys + shape.by_row(), T(0));
  std::fill(dvalues, dvalues + shape.by_row(), T(0));

  const T scale = static_cast<T>(shape.to_log2 / kLog2E);
  for (int i = 0; i < n; i += kTileRows) {
    const int rows = std::min(kTileRows, shape.padded_rows() - i);
    const int valid = std::min(rows, n - i);
    T minus_lse[kTileRows] = {}, minus_rowsum[kTileRows] = {};
    for (int r = 0; r < valid; ++r) {
      minus_lse[r] = -lse[i + r];
      T dot = 0;
      for (int e = 0; e < c; ++e) dot += dO[(i + r) * o_stride + e] * o[(i + r) * o_stride + e];
      minus_rowsum[r] = -dot;
    }
    const T* tile_q = queries + static_cast<std::size_t>(i) * c;
    const T* tile_dout = douts + static_cast<std::size_t>(i) * c;
    ScoresBackward(rows, shape.padded_n, c, tile_q, keys, tile_dout, values, minus_lse, minus_rowsum, P, dS);
    if (shape.padded_c != c) {
      PackRows(rows, rows, c, shape.padded_c, tile_q, c, T(1), wide_queries);
      PackRows(rows, rows, c, shape.padded_c, tile_dout, c, T(1), wide_douts);
      tile_q = wide_queries;
      tile_dout = wide_douts;
    }
    // S = q k^T / sqrt(c) => dq = dS k / sqrt(c), dk = dS^T q / sqrt(c);  o = P v => dv = P^T dO
    MultiplyRows(rows, n, shape.padded_c, dS, shape.padded_n, key_rows, out);
    for (int r = 0; r < valid; ++r) {
      for (int e = 0; e < c; ++e) dq[(i + r) * shape.stride + e] = scale * out[r * shape.padded_c + e];
    }
    AddTransposedProduct(rows, shape.padded_n, shape.padded_c, dS, shape.padded_n, tile_q, dkeys);
    AddTransposedProduct(rows, shape.padded_n, shape.padded_c, P, shape.padded_n, tile_dout, dvalues);
  }
  // The queries carry log2(e) / sqrt(c), of which dk wants only 1 / sqrt(c).
  const T from_log2 = static_cast<T>(1 / kLog2E);
  for (int j = 0; j < n; ++j) {
    for (int e = 0; e < c; ++e) {
      dk[j * shape.stride + e] = from_log2 * dkeys[static_cast<std::size_t>(j) * shape.padded_c + e];
      dv[j * shape.stride + e] = dvalues[static_cast<std::size_t>(j) * shape.padded_c + e];
    }
  }
  arena.Rewind(mark);
}

}  // namespace

template <typename T>
void AttentionForward(const Segments& segments, int width, int heads, const T* qkv, T* o, T* lse, Arena& arena) {
  const int tokens = segments.tokens(), c = width / heads;
  for (int s = 0; s < segments.count; ++s) {
    const int begin = segments.begin[s];
    const HeadShape<T> shape(segments.begin[s + 1] - begin, width, heads);
    for (int h = 0; h < heads; ++h) {
      const T* q = qkv + begin * shape.stride + h * c;
      HeadForward(shape, q, q + width, q + 2 * width, o + static_cast<std::size_t>(begin) * width + h * c, width,
                  lse == nullptr ? nullptr : lse + static_cast<std::size_t>(h) * tokens + begin, arena);
    }
  }
}

template <typename T>
void AttentionBackward(const Segments& segments, int width, int heads, const T* qkv, const T* o, const T* lse,
                       const T* dO, T* dqkv, Arena& arena) {
  const int tokens = segments.tokens(), c = width / heads;
  for (int s = 0; s < segments.count; ++s) {
    const int begin = segments.begin[s];
    const HeadShape<T> shape(segments.begin[s + 1] - begin, width, heads);
    for (int h = 0; h < heads; ++h) {
      const std::size_t at = begin * shape.stride + h * c;
      const std::size_t at_o = static_cast<std::size_t>(begin) * width + h * c;
      HeadBackward(shape, qkv + at, qkv + at + width, qkv + at + 2 * width, o + at_o, dO + at_o, width,
                   lse + static_cast<std::size_t>(h) * tokens + begin, dqkv + at, dqkv + at + width,
                   dqkv + at + 2 * width, arena);
    }
  }
}

template void AttentionForward(const Segments&, int, int, const float*, float*, float*, Arena&);
template void AttentionForward(const Segments&, int, int, const double*, double*, double*, Arena&);
template void AttentionBackward(const Segments&, int, int, const float*, const float*, const float*, const float*,
                                float*, Arena&);
template void AttentionBackward(const Segments&, int, int, const double*, const double*, const double*, const double*,
                                double*, Arena&);

}  // namespace instantgp

#include "instantgp/network/ops/attention.h"

#include <algorithm>
#include <cmath>

#include "instantgp/network/ops/attention_tiles.h"

// A head works on copies of its queries, keys and values laid out for register tiles: queries as rows, scaled so that
// scores are logarithms to the base 2; keys and values transposed in panels of W keys wherever products run along keys,
// and as rows where they run along channels. Rows are padded with zeros to whole tiles, keys to whole panels. The
// scores of kTileRows queries at a time stay in the first-level cache and never reach memory.

namespace instantgp {
namespace {

using namespace simd;

constexpr int kTileRows = 4 * kStep;  // queries whose scores are held at a time
constexpr double kLog2E = 1.4426950408889634074;
// Scores within +-60 (base 2) need no maximum subtracted: their exponentials and sums stay well inside float's range.
constexpr double kSafeScore = 60;

template <typename T>
struct HeadShape {
  int n;               // tokens of the segment
  int c;               // channels of the head
  int padded_n;        // to whole panels of keys
  int padded_c;        // to whole vectors
  int padded_rows;     // n to whole register tiles
  std::size_t stride;  // between tokens of qkv
  int heads;           // also the stride between tokens of lse
  T to_log2;           // the factor on queries that makes scores logarithms to the base 2

  HeadShape(int tokens, int width, int num_heads)
      : n(tokens),
        c(width / num_heads),
        padded_n(RoundUp(tokens, kPanel<T>)),
        padded_c(RoundUp(width / num_heads, kLanes<T>)),
        padded_rows(RoundUp(tokens, kStep)),
        stride(static_cast<std::size_t>(3) * width),
        heads(num_heads),
        to_log2(static_cast<T>(kLog2E / std::sqrt(static_cast<double>(width / num_heads)))) {}
  std::size_t panels() const { return static_cast<std::size_t>(padded_n) * c; }
  std::size_t rows(int count) const { return static_cast<std::size_t>(count) * padded_c; }
  std::size_t scores() const { return static_cast<std::size_t>(kTileRows) * padded_n; }
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
  T* queries = arena.New<T>(shape.rows(shape.padded_rows));
  T* keys = arena.New<T>(shape.panels());
  T* values = arena.New<T>(shape.rows(n));
  T* P = arena.New<T>(shape.scores());
  T* out = arena.New<T>(shape.rows(kTileRows));
  PackRows(n, shape.padded_rows, c, shape.padded_c, q, shape.stride, shape.to_log2, queries);
  PackTransposed(n, c, k, shape.stride, keys);
  PackRows(n, n, c, shape.padded_c, v, shape.stride, T(1), values);
  // |S_ij| <= |q_i| |k_j|
  const bool safe =
      LargestSquare(n, c, queries, shape.padded_c) * LargestSquare(n, c, k, shape.stride) <= T(kSafeScore * kSafeScore);
  const T zero[kTileRows] = {};
  for (int i = 0; i < n; i += kTileRows) {
    const int rows = std::min(kTileRows, shape.padded_rows - i);
    // S = q k^T / sqrt(c), P = exp(S) / sum, o = P v
    Scores(rows, shape.padded_n, c, queries + shape.rows(i), shape.padded_c, keys, zero, P);
    T largest[kTileRows], sums[kTileRows];
    for (int r = 0; r < rows; ++r) {
      T* row = P + static_cast<std::size_t>(r) * shape.padded_n;
      largest[r] = safe ? T(0) : *std::max_element(row, row + n);
      sums[r] = ExponentialRow(n, shape.padded_n, largest[r], row);
    }
    MultiplyRows(rows, n, shape.padded_c, P, shape.padded_n, values, out);
    for (int r = 0; r < std::min(rows, n - i); ++r) {
      ScaleInto(c, 1 / sums[r], out + shape.rows(r), o + (i + r) * o_stride);
      if (lse != nullptr) lse[static_cast<std::size_t>(i + r) * shape.heads] = largest[r] + std::log2(sums[r]);
    }
  }
  arena.Rewind(mark);
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
  T* queries = arena.New<T>(shape.rows(shape.padded_rows));
  T* douts = arena.New<T>(shape.rows(shape.padded_rows));
  T* keys = arena.New<T>(shape.panels());
  T* values = arena.New<T>(shape.panels());
  T* key_rows = arena.New<T>(shape.rows(n));
  T* dkeys = arena.New<T>(shape.rows(n));
  T* dvalues = arena.New<T>(shape.rows(n));
  T* P = arena.New<T>(shape.scores());
  T* dS = arena.New<T>(shape.scores());
  T* out = arena.New<T>(shape.rows(kTileRows));
  PackRows(n, shape.padded_rows, c, shape.padded_c, q, shape.stride, shape.to_log2, queries);
  PackRows(n, shape.padded_rows, c, shape.padded_c, dO, o_stride, T(1), douts);
  PackTransposed(n, c, k, shape.stride, keys);
  PackTransposed(n, c, v, shape.stride, values);
  PackRows(n, n, c, shape.padded_c, k, shape.stride, T(1), key_rows);
  std::fill(dkeys, dkeys + shape.rows(n), T(0));
  std::fill(dvalues, dvalues + shape.rows(n), T(0));

  const T scale = static_cast<T>(shape.to_log2 / kLog2E);
  for (int i = 0; i < n; i += kTileRows) {
    const int rows = std::min(kTileRows, shape.padded_rows - i);
    const int valid = std::min(rows, n - i);
    T minus_lse[kTileRows] = {}, minus_rowsum[kTileRows] = {};
    for (int r = 0; r < valid; ++r) {
      minus_lse[r] = -lse[static_cast<std::size_t>(i + r) * shape.heads];
      minus_rowsum[r] = -Dot(c, dO + (i + r) * o_stride, o + (i + r) * o_stride);
    }
    const T* tile_q = queries + shape.rows(i);
    const T* tile_dout = douts + shape.rows(i);
    // S = q k^T / sqrt(c), P = exp(S - lse), o = P v
    //   =>  dP = dO v^T,  dS = P (dP - rowsum(P dP)), where rowsum(P dP) = dO . o
    Scores(rows, shape.padded_n, c, tile_q, shape.padded_c, keys, minus_lse, P);
    Scores(rows, shape.padded_n, c, tile_dout, shape.padded_c, values, minus_rowsum, dS);
    ExponentialBackward(static_cast<std::size_t>(rows) * shape.padded_n, P, dS);
    // S = q k^T / sqrt(c) => dq = dS k / sqrt(c), dk = dS^T q / sqrt(c);  o = P v => dv = P^T dO
    MultiplyRows(rows, n, shape.padded_c, dS, shape.padded_n, key_rows, out);
    for (int r = 0; r < valid; ++r) ScaleInto(c, scale, out + shape.rows(r), dq + (i + r) * shape.stride);
    AddTransposedProduct(rows, n, shape.padded_c, dS, shape.padded_n, tile_q, dkeys);
    AddTransposedProduct(rows, n, shape.padded_c, P, shape.padded_n, tile_dout, dvalues);
  }
  // The queries carry log2(e) / sqrt(c), of which dk wants only 1 / sqrt(c).
  for (int j = 0; j < n; ++j) {
    ScaleInto(c, static_cast<T>(1 / kLog2E), dkeys + shape.rows(j), dk + j * shape.stride);
    ScaleInto(c, T(1), dvalues + shape.rows(j), dv + j * shape.stride);
  }
  arena.Rewind(mark);
}

}  // namespace

template <typename T>
void AttentionForward(const Segments& segments, int width, int heads, const T* qkv, T* o, T* lse, Arena& arena) {
  const int c = width / heads;
  for (int s = 0; s < segments.count; ++s) {
    const int begin = segments.begin[s];
    const HeadShape<T> shape(segments.begin[s + 1] - begin, width, heads);
    for (int h = 0; h < heads; ++h) {
      const T* q = qkv + begin * shape.stride + h * c;
      HeadForward(shape, q, q + width, q + 2 * width, o + static_cast<std::size_t>(begin) * width + h * c, width,
                  lse == nullptr ? nullptr : lse + static_cast<std::size_t>(begin) * heads + h, arena);
    }
  }
}

template <typename T>
void AttentionBackward(const Segments& segments, int width, int heads, const T* qkv, const T* o, const T* lse,
                       const T* dO, T* dqkv, Arena& arena) {
  const int c = width / heads;
  for (int s = 0; s < segments.count; ++s) {
    const int begin = segments.begin[s];
    const HeadShape<T> shape(segments.begin[s + 1] - begin, width, heads);
    for (int h = 0; h < heads; ++h) {
      const std::size_t at = begin * shape.stride + h * c;
      const std::size_t at_o = static_cast<std::size_t>(begin) * width + h * c;
      HeadBackward(shape, qkv + at, qkv + at + width, qkv + at + 2 * width, o + at_o, dO + at_o, width,
                   lse + static_cast<std::size_t>(begin) * heads + h, dqkv + at, dqkv + at + width,
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

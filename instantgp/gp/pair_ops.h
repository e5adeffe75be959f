// SIMD loops over one block of pairs (i, j). Internal to gp/.
//
// A block is a list of runs: rows [row, row + length) of one column. Arrays of a block are packed run after run and
// padded to whole vectors, so a loop may write past a run's end: the next run overwrites what spilled. Per-point tables
// are padded likewise.
#pragma once

#include <hwy/highway.h>

#include <cstddef>
#include <vector>

namespace instantgp::pair {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

inline constexpr int kBlock = 512;   // pairs; measured flat from 400 to 1000, slower below
inline constexpr int kPadding = 16;  // doubles after every array; at least one vector of any instruction set

inline V Load(const double* a, int k) { return hn::LoadU(D(), a + k); }

struct Run {
  int column;
  int row;
  int length;
  int offset;  // of the run's first pair in the block
};

struct Block {
  std::vector<Run> runs;
  int size = 0;
};

// out[offset + k] = f(j)(i) for every pair (i, j); f(j)(i) returns a vector for rows i, i+1, ...
template <typename F>
inline void ForEachRun(const Block& block, double* out, F f) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (const Run& run : block.runs) {
    double* o = out + run.offset;
    const auto column = f(run.column);
    for (int k = 0; k < run.length; k += lanes) hn::StoreU(column(run.row + k), d, o + k);
  }
}

// The factor of d k / d log p: w = (h_i - h_j) sin(h_i - h_j) cos(h_i - h_j) / l^2.
inline void PeriodFactor(const Block& block, const double* si, const double* ci, const double* hi, const double* sj,
                         const double* cj, const double* hj, double scale, double* w) {
  const D d;
  const V f = hn::Set(d, 2 * scale);
  ForEachRun(block, w, [=](int j) {
    const V sb = hn::Set(d, sj[j]), cb = hn::Set(d, cj[j]), hb = hn::Set(d, hj[j]);
    return [=](int i) {
      const V sa = hn::LoadU(d, si + i), ca = hn::LoadU(d, ci + i);
      const V s = hn::NegMulAdd(ca, sb, hn::Mul(sa, cb));
      const V c = hn::MulAdd(sa, sb, hn::Mul(ca, cb));
      const V h = hn::Sub(hn::LoadU(d, hi + i), hb);
      return hn::Mul(hn::Mul(hn::Mul(s, c), h), f);
    };
  });
}

// sums[j] += sum of f over the pairs of column j. f(j) returns g with g(i, k): the vector for rows i, i+1, ... whose
// places in the block are k, k+1, ... .
template <typename F>
inline void AddColumnSums(const Block& block, double* sums, F f) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (const Run& run : block.runs) {
    const auto column = f(run.column);
    V sum = hn::Zero(d);
    int k = 0;
    for (; k + lanes <= run.length; k += lanes) sum = hn::Add(sum, column(run.row + k, run.offset + k));
    if (k < run.length) {
      const auto inside = hn::FirstN(d, static_cast<std::size_t>(run.length - k));
      sum = hn::Add(sum, hn::IfThenElseZero(inside, column(run.row + k, run.offset + k)));
    }
    sums[run.column] += hn::GetLane(hn::SumOfLanes(d, sum));
  }
}

// Element-wise loops over [0, size) rounded up to whole vectors.
template <typename F>
inline void Map(int size, double* out, F f) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int k = 0; k < size; k += lanes) hn::StoreU(f(k), d, out + k);
}

inline void Multiply(int size, const double* a, const double* b, double* out) {
  Map(size, out, [=](int k) { return hn::Mul(Load(a, k), Load(b, k)); });
}

// exp(x) for x <= 700, zero below -200 (1e-87); a larger x counts as 700 (1e304), so a wild parameter gives a finite
// number.
//
// x = k log 2 + r, |r| <= log(2)/2: exp(x) = 2^k exp(r), exp(r) by its series to r^12/12! (remainder below 2e-16).
// Highway's own Exp handles the whole range of doubles at about twice the cost, and exponentials are most of a
// covariance's time.
inline V BoundedExp(V x) {
  const D d;
  const hn::RebindToSigned<D> di;
  const V bounded = hn::Min(x, hn::Set(d, 700.0));
  // Adding 1.5 * 2^52 rounds to the nearest integer and leaves it in the low bits of the sum.
  const V magic = hn::Set(d, 6755399441055744.0);
  const V shifted = hn::MulAdd(bounded, hn::Set(d, 1.4426950408889634074), magic);
  const V k = hn::Sub(shifted, magic);
  V r = hn::NegMulAdd(k, hn::Set(d, 6.93147180369123816490e-01), bounded);  // log 2 in two parts
  r = hn::NegMulAdd(k, hn::Set(d, 1.90821492927058770002e-10), r);
  constexpr double kSeries[] = {
      1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
      1.0 / 120,       1.0 / 24,       1.0 / 6,       0.5,          1.0,         1.0};
  V p = hn::Set(d, kSeries[0]);
  for (int i = 1; i < 13; ++i) p = hn::MulAdd(p, r, hn::Set(d, kSeries[i]));
  const V scaled = hn::BitCast(d, hn::Add(hn::BitCast(di, p), hn::ShiftLeft<52>(hn::BitCast(di, shifted))));
  return hn::IfThenElseZero(hn::Ge(bounded, hn::Set(d, -200.0)), scaled);
}

// sums[m] += sum over k < size of the m-th vector that f(k) returns (an array of M vectors), in one pass. Entries past
// size are masked because padding holds leftovers.
template <int M, typename F>
inline void Reduce(int size, double* sums, F f) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  V even[M], odd[M];
  for (int m = 0; m < M; ++m) even[m] = odd[m] = hn::Zero(d);
  int k = 0;
  for (; k + 2 * lanes <= size; k += 2 * lanes) {
    V a[M], b[M];
    f(k, a);
    f(k + lanes, b);
    for (int m = 0; m < M; ++m) {
      even[m] = hn::Add(even[m], a[m]);
      odd[m] = hn::Add(odd[m], b[m]);
    }
  }
  for (; k < size; k += lanes) {
    V a[M];
    f(k, a);
    const auto inside = hn::FirstN(d, static_cast<std::size_t>(size - k));
    for (int m = 0; m < M; ++m) even[m] = hn::Add(even[m], hn::IfThenElseZero(inside, a[m]));
  }
  for (int m = 0; m < M; ++m) sums[m] += hn::GetLane(hn::SumOfLanes(d, hn::Add(even[m], odd[m])));
}

}  // namespace instantgp::pair

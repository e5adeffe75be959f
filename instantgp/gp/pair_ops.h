// SIMD loops over one block of pairs (i, j). Internal to gp/.
//
// A block is a list of runs: rows [row, row + length) of one column. Arrays of a block are packed run after run and
// padded to whole vectors, so a loop may write past a run's end: the next run overwrites what spilled. Per-point tables
// are padded likewise.
#pragma once

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cstddef>
#include <vector>

namespace instantgp::pair {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

inline constexpr int kBlock = 256;   // pairs: 2 KiB an array; forty arrays fit half of a 256 KiB second-level cache
inline constexpr int kPadding = 16;  // doubles after every array; at least one vector of any instruction set

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

// out[offset + k] = f(left row vector index, right scalar index) for every pair; f(i, j) returns a vector for rows i,
// i+1, ...
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

// q = (u_i - u_j)^2 with u = x / (sqrt(2) l)
inline void SquaredDifference(const Block& block, const double* ui, const double* uj, double* q) {
  const D d;
  ForEachRun(block, q, [=](int j) {
    const V b = hn::Set(d, uj[j]);
    return [=](int i) {
      const V r = hn::Sub(hn::LoadU(d, ui + i), b);
      return hn::Mul(r, r);
    };
  });
}

// s = |u_i - u_j| with u = sqrt(5) x / l
inline void AbsoluteDifference(const Block& block, const double* ui, const double* uj, double* s) {
  const D d;
  ForEachRun(block, s, [=](int j) {
    const V b = hn::Set(d, uj[j]);
    return [=](int i) { return hn::Abs(hn::Sub(hn::LoadU(d, ui + i), b)); };
  });
}

// out = w_i x_j + c with w = v x
inline void Linear(const Block& block, const double* wi, const double* xj, double offset, double* out) {
  const D d;
  const V c = hn::Set(d, offset);
  ForEachRun(block, out, [=](int j) {
    const V b = hn::Set(d, xj[j]);
    return [=](int i) { return hn::MulAdd(hn::LoadU(d, wi + i), b, c); };
  });
}

// Angles h = pi x / p. q = sin^2(h_i - h_j) * scale, scale = 1 / (2 l^2).
inline void SquaredSine(const Block& block, const double* si, const double* ci, const double* sj, const double* cj,
                        double scale, double* q) {
  const D d;
  const V f = hn::Set(d, scale);
  ForEachRun(block, q, [=](int j) {
    const V sb = hn::Set(d, sj[j]), cb = hn::Set(d, cj[j]);
    return [=](int i) {
      const V s = hn::NegMulAdd(hn::LoadU(d, ci + i), sb, hn::Mul(hn::LoadU(d, si + i), cb));
      return hn::Mul(hn::Mul(s, s), f);
    };
  });
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

// Element-wise loops over [0, size) rounded up to whole vectors.
template <typename F>
inline void Map(int size, double* out, F f) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int k = 0; k < size; k += lanes) hn::StoreU(f(k), d, out + k);
}

// exp(x), x bounded above so that a wild parameter gives a large finite number (700 is log of about 1e304).
inline V BoundedExp(V x) {
  const D d;
  return hn::Exp(d, hn::Min(x, hn::Set(d, 700.0)));
}

inline V Load(const double* a, int k) { return hn::LoadU(D(), a + k); }

// sum over k < size of a_k, and of a_k b_k. Four accumulators hide the latency of the additions; entries past size are
// masked because padding holds leftovers.
template <typename F>
inline double Reduce(int size, F f) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  V s0 = hn::Zero(d), s1 = hn::Zero(d);
  int k = 0;
  for (; k + 2 * lanes <= size; k += 2 * lanes) {
    s0 = hn::Add(s0, f(k));
    s1 = hn::Add(s1, f(k + lanes));
  }
  for (; k < size; k += lanes) {
    const V term = f(k);
    s0 = hn::Add(s0, hn::IfThenElseZero(hn::FirstN(d, static_cast<std::size_t>(size - k)), term));
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(s0, s1)));
}

}  // namespace instantgp::pair

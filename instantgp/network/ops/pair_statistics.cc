#include "instantgp/network/ops/pair_statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace instantgp {
namespace {

constexpr double kLogBinsEnd = 0.1;

// The finaliser of SplitMix64: a bijection that spreads every input bit over the output.
std::uint64_t Mix(std::uint64_t h) {
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return h ^ (h >> 31);
}

// A sum over columns, so that it does not depend on their order.
std::uint64_t RowHash(const Matrix& X, Index row) {
  std::uint64_t hash = 0;
  for (Index k = 0; k < X.cols(); ++k) hash += Mix(std::bit_cast<std::uint64_t>(X(row, k)) + 0x9e3779b97f4a7c15u);
  return hash;
}

// Half octaves below kLogBinsEnd: bin 15 - floor(log2((end / D)^2)), read off the exponent; D = 0 gives infinity, bin
// 0.
int LogBin(double distance) {
  const double ratio = (kLogBinsEnd * kLogBinsEnd) / (distance * distance);
  const int octaves = static_cast<int>(std::bit_cast<std::uint64_t>(ratio) >> 52) - 1023;
  return std::max(0, kLogPairBins - 1 - octaves);
}

// Sum and count, plain and weighted, side by side: one vector addition per pair.
struct Bins {
  double linear[kLinearPairBins][4];  // sum, count, weighted sum, weighted count
  double near[kLogPairBins][2];       // sum, count
};

inline void AddPair(double distance, double product, double weight, Bins& bins) {
  double* bin = bins.linear[std::min(static_cast<int>(distance * kLinearPairBins), kLinearPairBins - 1)];
  const double added[4] = {product, 1, weight * product, weight};
  for (int k = 0; k < 4; ++k) bin[k] += added[k];
  if (distance < kLogBinsEnd) {
    double* near = bins.near[LogBin(distance)];
    near[0] += product;
    near[1] += 1;
  }
}

template <typename T>
void WriteBins(const Bins& bins, T* out) {
  for (const auto& bin : bins.linear) *out++ = static_cast<T>(bin[0] / (bin[1] + 1));
  for (const auto& bin : bins.linear) *out++ = static_cast<T>(bin[2] / (bin[3] + 1));
  for (const auto& bin : bins.near) *out++ = static_cast<T>(bin[0] / (bin[1] + 1));
}

}  // namespace

template <typename T>
void PairStatistics(const Matrix& X, const Vector& y, double y_scale, Arena& arena, T* statistics) {
  const int n = static_cast<int>(X.rows()), d = static_cast<int>(X.cols());
  const Arena::Mark mark = arena.Here();

  // Rows in an order of their own (only a subsample of pairs needs it), twice over, so that the partner at cyclic
  // offset k of row a is row a + k.
  int* order = arena.New<int>(n);
  for (int a = 0; a < n; ++a) order[a] = a;
  if (n > kPairRows) {
    std::uint64_t* hash = arena.New<std::uint64_t>(n);
    for (int a = 0; a < n; ++a) hash[a] = RowHash(X, a);
    std::sort(order, order + n, [&](int a, int b) { return hash[a] != hash[b] ? hash[a] < hash[b] : y(a) < y(b); });
  }
  double* x = arena.New<double>(static_cast<std::size_t>(d) * 2 * n);
  double* targets = arena.New<double>(2 * n);
  for (int a = 0; a < 2 * n; ++a) {
    const int row = order[a % n];
    targets[a] = y(row) / y_scale;
    for (int k = 0; k < d; ++k) x[static_cast<std::size_t>(k) * 2 * n + a] = X(row, k);
  }

  Bins* bins = arena.New<Bins>(d);
  for (int k = 0; k < d; ++k) bins[k] = Bins{};
  double* distance = arena.New<double>(static_cast<std::size_t>(d) * n);
  double* before = arena.New<double>(static_cast<std::size_t>(d + 1) * n);  // products of closeness over dimensions < k
  double* after = arena.New<double>(n);                                     // and over dimensions > k

  // Offsets 1 .. n/2 meet every pair once; at the offset n/2 of an even n each pair shows up from both ends.
  const int rows = std::min(n, kPairRows);
  const int offsets = n <= kPairRows ? n / 2 : rows * (rows - 1) / 2 / n;
  for (int offset = 1; offset <= offsets; ++offset) {
    const int pairs = 2 * offset == n ? offset : n;
    std::fill(before, before + pairs, 1.0);
    for (int k = 0; k < d; ++k) {
      const double* column = x + static_cast<std::size_t>(k) * 2 * n;
      double* dk = distance + static_cast<std::size_t>(k) * n;
      const double* prefix = before + static_cast<std::size_t>(k) * n;
      double* next = before + static_cast<std::size_t>(k + 1) * n;
      for (int a = 0; a < pairs; ++a) {
        dk[a] = std::min(1.0, std::abs(column[a] - column[a + offset]));
        next[a] = prefix[a] * (1 - dk[a]) * (1 - dk[a]);
      }
    }
    std::fill(after, after + pairs, 1.0);
    for (int k = d - 1; k >= 0; --k) {
      const double* dk = distance + static_cast<std::size_t>(k) * n;
      const double* prefix = before + static_cast<std::size_t>(k) * n;
      for (int a = 0; a < pairs; ++a) {
        AddPair(dk[a], targets[a] * targets[a + offset], prefix[a] * after[a], bins[k]);
        after[a] *= (1 - dk[a]) * (1 - dk[a]);
      }
    }
  }
  for (int k = 0; k < d; ++k) WriteBins(bins[k], statistics + static_cast<std::size_t>(k) * kNumPairStatistics);
  arena.Rewind(mark);
}

template void PairStatistics(const Matrix&, const Vector&, double, Arena&, float*);
template void PairStatistics(const Matrix&, const Vector&, double, Arena&, double*);

}  // namespace instantgp

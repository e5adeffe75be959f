#include "instantgp/inference/row_sample.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>

namespace instantgp {
namespace {

// A coordinate as bits; values outside [0,1] join the border.
std::uint32_t Bits(double x) { return static_cast<std::uint32_t>(std::clamp(x, 0.0, 1.0) * 4294967295.0); }

// An order that depends neither on the order of the columns nor on that of the rows.
std::vector<Index> ColumnsInOrderOfTheirValues(const Matrix& X) {
  std::vector<std::uint64_t> hash(static_cast<std::size_t>(X.cols()), 0);
  std::vector<Index> columns(hash.size());
  for (Index k = 0; k < X.cols(); ++k) {
    columns[static_cast<std::size_t>(k)] = k;
    for (Index r = 0; r < X.rows(); ++r) {
      // 2^64 over the golden ratio: multiplying by it spreads nearby bit patterns over all 64 bits.
      const std::uint64_t mixed = std::bit_cast<std::uint64_t>(X(r, k)) * 0x9e3779b97f4a7c15u;
      hash[static_cast<std::size_t>(k)] += mixed ^ (mixed >> 32);
    }
  }
  std::stable_sort(columns.begin(), columns.end(), [&](Index a, Index b) { return hash[a] < hash[b]; });
  return columns;
}

}  // namespace

std::vector<int> SpreadRows(const Matrix& X, const Vector& y, int count) {
  const int n = static_cast<int>(X.rows());
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  if (count >= n) return order;

  const auto d = static_cast<std::size_t>(X.cols());
  const std::vector<Index> columns = ColumnsInOrderOfTheirValues(X);
  std::vector<std::uint32_t> bits(d * n);  // row by row
  for (int r = 0; r < n; ++r) {
    for (std::size_t k = 0; k < d; ++k) bits[r * d + k] = Bits(X(r, columns[k]));
  }
  // Morton order: the coordinate whose highest differing bit is the highest decides; of equals the first. (a ^ b) has a
  // higher top bit than c when c < (a ^ b) and c < (c ^ a ^ b).
  const auto before = [&](int a, int b) {
    std::uint32_t largest = 0;
    std::size_t decides = 0;
    for (std::size_t k = 0; k < d; ++k) {
      const std::uint32_t difference = bits[a * d + k] ^ bits[b * d + k];
      if (largest < difference && largest < (largest ^ difference)) {
        largest = difference;
        decides = k;
      }
    }
    if (largest == 0) return y[a] < y[b];
    return bits[a * d + decides] < bits[b * d + decides];
  };
  std::sort(order.begin(), order.end(), before);
  std::vector<int> rows(count);
  for (int i = 0; i < count; ++i) {
    rows[i] = order[static_cast<std::size_t>((2LL * i + 1) * n / (2LL * count))];
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

RowSample SpreadSample(const Matrix& X, const Vector& y, int count) {
  if (count >= X.rows()) return {X, y};
  const std::vector<int> rows = SpreadRows(X, y, count);
  return {SelectRows(X, rows), SelectRows(y, rows)};
}

Matrix SelectRows(const Matrix& X, const std::vector<int>& rows) { return X(rows, Eigen::all); }
Vector SelectRows(const Vector& y, const std::vector<int>& rows) { return y(rows); }

}  // namespace instantgp

#include "instantgp/inference/relevant_columns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "instantgp/inference/column_lengthscales.h"
#include "instantgp/inference/row_sample.h"

namespace instantgp {
namespace {

constexpr int kBins = 8;
constexpr int kRowsToLookAt = 512;
constexpr std::array kGuesses = {2, 4, 8};
// In [0, 1]^k rows lie sqrt(k / 6) apart: lengthscales in that unit for k columns that matter, and one for the others
// that makes them flat. The spread about a hypothesis multiplies all of them by 3 and 12.
constexpr double kLengthscale = 1, kFlat = 30;
// Variance, relative to the mean square of the targets; the spread goes down from there.
constexpr double kGuessedNoise = 0.1;

// Of bins that depend on the values alone: equal ones are in the same bin.
std::vector<int> BinsOf(const Vector& x) {
  const Index n = x.size();
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return x[a] < x[b]; });
  std::vector<int> bins(static_cast<std::size_t>(n));
  Index first = 0;  // of the values equal to this one
  for (Index k = 0; k < n; ++k) {
    if (x[order[static_cast<std::size_t>(k)]] != x[order[static_cast<std::size_t>(first)]]) first = k;
    bins[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])] = static_cast<int>(kBins * first / n);
  }
  return bins;
}

double FRatio(const std::vector<int>& bins, const Vector& u) {
  std::array<double, kBins> sums = {}, counts = {};
  const double mean = u.mean(), variance = (u.array() - mean).square().mean();
  for (std::size_t i = 0; i < bins.size(); ++i) {
    sums[static_cast<std::size_t>(bins[i])] += u[static_cast<Index>(i)] - mean;
    counts[static_cast<std::size_t>(bins[i])] += 1;
  }
  double between = 0;
  int used = 0;
  for (std::size_t b = 0; b < sums.size(); ++b) {
    if (counts[b] == 0) continue;
    between += sums[b] * sums[b] / counts[b];
    ++used;
  }
  return used > 1 && variance > 0 ? between / ((used - 1) * variance) : 0;
}

}  // namespace

Vector RelevanceOf(const Matrix& X, const Vector& y) {
  const Vector size = (y.array() - y.mean()).abs();
  Vector relevance(X.cols());
  for (Index j = 0; j < X.cols(); ++j) {
    const std::vector<int> bins = BinsOf(X.col(j));
    relevance[j] = std::max(FRatio(bins, y), FRatio(bins, size));
  }
  return relevance;
}

Matrix WithGuessedColumns(const Structure& structure, const Matrix& X, const Vector& y, const Matrix& theta) {
  const int d = structure.dimensions();
  if (d < kFewestColumnsToGuess) return theta;
  const ColumnLengthscales lengthscales(ToExpression(structure));
  if (lengthscales.empty()) return theta;
  const RowSample rows = SpreadSample(X(Eigen::all, lengthscales.columns()), y, kRowsToLookAt);
  const Vector relevance = RelevanceOf(rows.X, rows.y);
  Vector sorted = relevance;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());

  Matrix all(theta.rows(), theta.cols() + static_cast<Index>(kGuesses.size()));
  all.leftCols(theta.cols()) = theta;
  Index next = theta.cols();
  for (const int count : kGuesses) {
    if (count >= d) continue;
    auto guess = all.col(next++);
    const double near = std::log(kLengthscale * std::sqrt(count / 6.0));
    guess = lengthscales.With(LogParameters(theta.col(0)), [&](Index place, Index) {
      return relevance[place] >= sorted[count - 1] ? near : std::log(kFlat);
    });
    guess[theta.rows() - 1] =
        std::log(kGuessedNoise * std::max(y.squaredNorm() / static_cast<double>(y.size()), 1e-300));
  }
  return all.leftCols(next);
}

}  // namespace instantgp

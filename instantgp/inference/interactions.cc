#include "instantgp/inference/interactions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "instantgp/inference/column_lengthscales.h"
#include "instantgp/inference/relevant_columns.h"

namespace instantgp {
namespace {

// The strongest product of 32 columns, 500 rows: 14 by chance (median of 60 draws, the largest 23; skewed columns and
// columns of two levels 13 and 18); 176 to 203 on twelve splits of a table where steps had lost two columns. Not
// varied.
constexpr double kStrong = 40;
constexpr std::array kLengthscales = {1.0, 3.0};
// Log noise variances, relative to the answer's.
constexpr std::array kNoises = {0.0, -0.7, -1.5, -3.0};

Matrix Standardised(const Matrix& X) {
  Matrix Z = X.rowwise() - X.colwise().mean();
  for (Index j = 0; j < Z.cols(); ++j) {
    const double size = std::sqrt(Z.col(j).squaredNorm() / static_cast<double>(Z.rows()));
    if (size > 0) Z.col(j) /= size;
  }
  return Z;
}

}  // namespace

Interaction StrongestInteraction(const Matrix& X, const Vector& alpha) {
  const Index d = X.cols();
  const Matrix Z = Standardised(X), squares = Z.cwiseAbs2();
  const double per_row = alpha.squaredNorm() / static_cast<double>(alpha.size());
  Interaction strongest;
  if (!(per_row > 0)) return strongest;
  // For the third factor w, 1 or a column behind both: Z^T diag(alpha w) Z holds every phi^T alpha.
  for (Index k = 1; k <= d; ++k) {
    const bool pairs = k == d;
    const Index count = pairs ? d : k;
    const auto before = Z.leftCols(count), squares_before = squares.leftCols(count);
    const Vector w = pairs ? Vector(Vector::Ones(X.rows())) : Vector(Z.col(k));
    const Matrix sums = before.transpose() * w.cwiseProduct(alpha).asDiagonal() * before;
    const Matrix sizes = squares_before.transpose() * w.cwiseAbs2().asDiagonal() * squares_before;
    for (Index j = 1; j < count; ++j) {
      for (Index i = 0; i < j; ++i) {
        const double strength = sums(i, j) * sums(i, j) / (sizes(i, j) * per_row);
        if (!(strength > strongest.strength)) continue;
        strongest.strength = strength;
        strongest.columns = {static_cast<int>(i), static_cast<int>(j)};
        if (!pairs) strongest.columns.push_back(static_cast<int>(k));
      }
    }
  }
  return strongest;
}

std::vector<NoiseLadder> InteractionLadders(const Covariance& covariance, const Matrix& X, const Vector& alpha,
                                            const LogParameters& answer) {
  std::vector<NoiseLadder> ladders;
  const ColumnLengthscales lengthscales(covariance.expression());
  if (lengthscales.empty() || std::ssize(lengthscales.columns()) < kFewestColumnsToGuess) return ladders;
  const Interaction interaction = StrongestInteraction(X(Eigen::all, lengthscales.columns()), alpha);
  if (!(interaction.strength > kStrong)) return ladders;
  for (const double lengthscale : kLengthscales) {
    LogParameters theta = lengthscales.With(answer, [&](Index place, Index row) {
      const bool joins = std::ranges::find(interaction.columns, place) != interaction.columns.end();
      return joins ? std::min(answer[row], std::log(lengthscale)) : answer[row];
    });
    NoiseLadder ladder{std::move(theta), {}, false};
    for (const double noise : kNoises) ladder.log_noises.push_back(answer.noise() + noise);
    ladders.push_back(std::move(ladder));
  }
  return ladders;
}

}  // namespace instantgp

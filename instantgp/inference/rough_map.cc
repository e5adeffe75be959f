#include "instantgp/inference/rough_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "instantgp/inference/column_lengthscales.h"

namespace instantgp {
namespace {

// None of these was varied.
constexpr std::array kDistances = {2.0, 5.0};                  // lengthscales, in distances to the nearest row
constexpr double kRough = 0.4;                                 // the spread has starts at longer ones
constexpr std::array kNoiseOfAMap = {-1.5, -3.0, -5.0, -8.0};  // log variances, relative to the targets'

}  // namespace

NearestRows LookAtNearestRows(const Matrix& X, const Vector& y) {
  NearestRows nearest;
  const Index n = X.rows();
  const double total = (y.array() - y.mean()).square().sum();
  if (n < 2 || !(total > 0)) return nearest;
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const Matrix rows = X.transpose();
  Vector distances(n), elsewhere(n);
  double sum = 0;
  for (Index i = 0; i < n; ++i) {
    distances = (rows.colwise() - rows.col(i)).colwise().squaredNorm();
    distances[i] = kNone;
    const double least = distances.minCoeff();
    double change = 0, count = 0;
    elsewhere[i] = kNone;
    for (Index j = 0; j < n; ++j) {
      if (distances[j] == least) {
        change += (y[j] - y[i]) * (y[j] - y[i]);
        ++count;
      }
      if (distances[j] > 0) elsewhere[i] = std::min(elsewhere[i], distances[j]);
    }
    sum += change / count;
  }
  nearest.left = sum / (2 * total);
  std::nth_element(elsewhere.begin(), elsewhere.begin() + n / 2, elsewhere.end());
  nearest.distance = std::sqrt(elsewhere[n / 2]);
  return nearest;
}

std::vector<NoiseLadder> RoughLadders(const Covariance& covariance, const Matrix& X, const Vector& y,
                                      const LogParameters& answer, double share) {
  std::vector<NoiseLadder> ladders;
  const ColumnLengthscales lengthscales(covariance.expression());
  if (lengthscales.empty() || lengthscales.columns().size() < 2) return ladders;
  const NearestRows nearest = LookAtNearestRows(X(Eigen::all, lengthscales.columns()), y);
  if (!(nearest.left < share)) return ladders;
  const double variance = (y.array() - y.mean()).square().mean();
  for (const double distances : kDistances) {
    const double lengthscale = distances * nearest.distance;
    if (!(lengthscale < kRough)) continue;
    LogParameters theta = lengthscales.With(answer, [&](Index, Index) { return std::log(lengthscale); });
    NoiseLadder ladder{WithVariance(covariance, X, std::move(theta), variance), {}, false};
    for (const double rung : kNoiseOfAMap) ladder.log_noises.push_back(std::log(variance) + rung);
    ladders.push_back(std::move(ladder));
  }
  return ladders;
}

}  // namespace instantgp

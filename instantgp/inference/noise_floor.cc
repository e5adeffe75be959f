#include "instantgp/inference/noise_floor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace instantgp {
namespace {

// The chance that two different rows have equal targets.
double ChanceOfEqualTargets(const Matrix& X, const Vector& y) {
  std::vector<Index> order(static_cast<std::size_t>(y.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto less = [&](Index a, Index b) {
    if (y[a] != y[b]) return y[a] < y[b];
    for (Index k = 0; k < X.cols(); ++k) {
      if (X(a, k) != X(b, k)) return X(a, k) < X(b, k);
    }
    return false;
  };
  std::sort(order.begin(), order.end(), less);
  const auto copies = std::unique(order.begin(), order.end(), [&](Index a, Index b) { return !less(a, b); });
  order.erase(copies, order.end());
  double pairs = 0, equal = 0;  // pairs: twice their number
  for (std::size_t i = 0; i < order.size(); ++i) {
    equal = i > 0 && y[order[i]] == y[order[i - 1]] ? equal + 1 : 0;
    pairs += 2 * equal;
  }
  const double count = static_cast<double>(order.size());
  return pairs > 0 ? pairs / (count * (count - 1)) : 0;
}

}  // namespace

NoiseFloor::NoiseFloor(const Matrix& X, const Vector& y, Index kernel_parameters)
    : least_(-std::numeric_limits<double>::infinity()),
      undetermined_(-std::log(static_cast<double>(y.size()))),
      price_(0.5 * static_cast<double>(kernel_parameters + 2)) {
  const double chance = y.maxCoeff() > y.minCoeff() ? ChanceOfEqualTargets(X, y) : 0;
  if (chance > 0) least_ = 2 * std::log(chance / 2);
}

void NoiseFloor::AddWall(const LogParameters& theta, double* value, Vector* gradient) const {
  const double below = least_ - theta.noise();
  if (!(below > 0)) return;
  *value += 0.5 * below * below;
  if (gradient != nullptr) (*gradient)[theta.kernel_size()] -= below;
}

}  // namespace instantgp

#include "instantgp/inference/noise_floor.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "instantgp/kernel/parameters.h"

namespace instantgp {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Scales that another one makes up for: all but one of the factors' of a product.
int RedundantScales(const Expression& kernel) {
  int count = kernel.op == Expression::Op::kProduct ? static_cast<int>(kernel.terms.size()) - 1 : 0;
  for (const Expression& term : kernel.terms) count += RedundantScales(term);
  return count;
}

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

NoiseFloor::NoiseFloor(const Expression& kernel, const Matrix& X, const Vector& y)
    : least_(-kInfinity), undetermined_(-kInfinity), rows_(static_cast<double>(y.size())) {
  const double rest = rows_ - (NumParameters(kernel) - RedundantScales(kernel));
  price_ = rest > 0 ? rows_ / rest : kInfinity;
  if (!(y.maxCoeff() > y.minCoeff())) return;  // nothing to compare noise with
  const double variance = (y.array() - y.mean()).square().mean();
  undetermined_ = std::log(variance / rows_);
  const double chance = ChanceOfEqualTargets(X, y);
  if (chance > 0) least_ = std::log(variance * chance * chance / 4);
}

std::optional<double> NoiseFloor::LevelFor(
    double log_noise, const std::function<std::optional<double>(double log_noise)>& per_point) const {
  if (!InDoubt(log_noise)) return std::nullopt;
  if (price_ == kInfinity) return undetermined_;
  const auto cost = [&](double level) {
    const std::optional<double> value = per_point(level);
    return value ? rows_ * *value + price_ * (undetermined_ - level) : kInfinity;
  };
  std::optional<double> best;
  double lowest = cost(log_noise);
  for (double level = undetermined_; level >= log_noise + 1; level -= 1) {
    const double here = cost(level);
    if (here < lowest) {
      best = level;
      lowest = here;
    }
  }
  return best;
}

void NoiseFloor::AddWall(const LogParameters& theta, double* value, Vector* gradient) const {
  const double below = least_ - theta.noise();
  if (!(below > 0)) return;
  *value += 0.5 * below * below;
  if (gradient != nullptr) (*gradient)[theta.kernel_size()] -= below;
}

int RaiseNoise(const NoiseFloor& floor, const Covariance& covariance, const Matrix& X, const Vector& y,
               const ClosedFormScale* scale, NlmlPoint& point) {
  const double log_noise = point.theta.noise() + point.value.log_scale;
  int evaluations = 0;
  NlmlPoint raised;
  Matrix K;  // only where it is needed, which is rare
  const auto raise_to = [&](double level) {
    if (K.size() == 0) {
      K.resize(X.rows(), X.rows());
      covariance.Gram(X, point.theta.data(), K, point.workspace.covariance);
    }
    raised.theta = point.theta;
    raised.value = point.value;
    for (int pass = 0; pass < 2 && raised.value.ok; ++pass) {  // the scale answers to the noise; twice is near enough
      double& own = raised.theta.noise();
      own = level - raised.value.log_scale;
      raised.value = NlmlOfGram(K, y, own, raised.workspace, scale);
      ++evaluations;
    }
    return raised.value.ok;
  };
  const std::optional<double> level = floor.LevelFor(log_noise, [&](double at) -> std::optional<double> {
    if (at == log_noise) return point.value.nlml;
    if (!raise_to(at)) return std::nullopt;
    return raised.value.nlml;
  });
  const double target = std::max(level.value_or(log_noise), floor.least());
  const bool move = target > log_noise && raise_to(target);
  if (move) std::swap(raised, point);
  return evaluations;
}

}  // namespace instantgp

#include "instantgp/model/mixture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/base/normal.h"

namespace instantgp {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// P(Y <= y) of one component.
double ComponentCdf(double y, double mean, double std) {
  if (std > 0) return NormalCdf((y - mean) / std);
  return y >= mean ? 1 : 0;
}

// The lower tail of the mixture sign * Y, with the derivative in its argument: for the upper half of probabilities the
// problem is turned around, so that the tail asked for is always the small one.
struct Tail {
  double value = 0, slope = 0;
};

Tail LowerTail(const Vector& weights, const Vector& means, const Vector& stds, double y) {
  Tail tail;
  for (Index k = 0; k < weights.size(); ++k) {
    tail.value += weights[k] * ComponentCdf(y, means[k], stds[k]);
    if (stds[k] > 0) {
      tail.slope += weights[k] * NormalDensity((y - means[k]) / stds[k]) / stds[k];
    }
  }
  return tail;
}

// The y with LowerTail(y) = probability, inside [low, high].
double Solve(const Vector& weights, const Vector& means, const Vector& stds, double probability, double low,
             double high) {
  const double width = 1e-13 * (high - low);
  double y = low + (high - low) / 2;
  constexpr int kMostSteps = 200;  // bisection alone needs 60
  for (int step = 0; step < kMostSteps && high - low > width; ++step) {
    const Tail tail = LowerTail(weights, means, stds, y);
    const double excess = tail.value - probability;
    if (excess == 0) return y;
    (excess > 0 ? high : low) = y;
    const double newton = y - excess / tail.slope;
    // A Newton step that has become smaller than the width has arrived; one that leaves the bracket is not taken.
    if (newton > low && newton < high) {
      if (std::abs(newton - y) <= width) return newton;
      // Newton from one side only never closes the bracket: every third step halves it.
      y = step % 3 == 2 ? low + (high - low) / 2 : newton;
    } else {
      y = low + (high - low) / 2;
    }
    if (y <= low || y >= high) break;  // neighbouring numbers
  }
  return low + (high - low) / 2;
}

}  // namespace

Mixture::Mixture(Vector weights, Matrix means, Matrix stds)
    : weights_(std::move(weights)), means_(std::move(means)), stds_(std::move(stds)) {
  INSTANTGP_CHECK(weights_.size() > 0 && weights_.minCoeff() >= 0 && std::abs(weights_.sum() - 1) < 1e-9);
  INSTANTGP_CHECK(means_.cols() == weights_.size() && stds_.cols() == weights_.size());
  INSTANTGP_CHECK(means_.rows() == stds_.rows());
}

Vector Mixture::Mean() const { return means_ * weights_; }

Vector Mixture::Std() const {
  const Vector mean = Mean();
  Vector std(rows());
  for (Index i = 0; i < rows(); ++i) {
    // Relative to the largest term, so that the squares of numbers near the end of the range stay in it.
    double largest = 0;
    for (Index k = 0; k < weights_.size(); ++k) {
      if (weights_[k] > 0) largest = std::max({largest, stds_(i, k), std::abs(means_(i, k) - mean[i])});
    }
    double sum = 0;
    for (Index k = 0; k < weights_.size(); ++k) {
      if (weights_[k] == 0 || largest == 0) continue;
      const double s = stds_(i, k) / largest, shift = (means_(i, k) - mean[i]) / largest;
      sum += weights_[k] * (s * s + shift * shift);
    }
    std[i] = largest * std::sqrt(sum);
  }
  return std;
}

Vector Mixture::LogDensity(const Vector& y) const {
  INSTANTGP_CHECK(y.size() == rows());
  Vector result(rows());
  Vector terms(weights_.size());
  for (Index i = 0; i < rows(); ++i) {
    for (Index k = 0; k < weights_.size(); ++k) {
      terms[k] =
          weights_[k] > 0 ? std::log(weights_[k]) + LogNormalDensity(y[i], means_(i, k), stds_(i, k)) : -kInfinity;
    }
    const double largest = terms.maxCoeff();
    result[i] = largest + std::log((terms.array() - largest).exp().sum());
  }
  return result;
}

Vector Mixture::Cdf(const Vector& y) const {
  INSTANTGP_CHECK(y.size() == rows());
  Vector result = Vector::Zero(rows());
  for (Index k = 0; k < weights_.size(); ++k) {
    if (weights_[k] == 0) continue;
    for (Index i = 0; i < rows(); ++i) result[i] += weights_[k] * ComponentCdf(y[i], means_(i, k), stds_(i, k));
  }
  return result;
}

Vector Mixture::Quantile(double probability) const {
  INSTANTGP_CHECK(probability > 0 && probability < 1);
  const double sign = probability <= 0.5 ? 1 : -1;
  const double tail = probability <= 0.5 ? probability : 1 - probability;
  const double z = NormalQuantile(tail);
  std::vector<Index> used;
  for (Index k = 0; k < weights_.size(); ++k) {
    if (weights_[k] > 0) used.push_back(k);
  }
  const Vector weights = weights_(used);
  Vector result(rows());
  for (Index i = 0; i < rows(); ++i) {
    const Vector means = sign * means_.row(i)(used).transpose();
    const Vector stds = stds_.row(i)(used).transpose();
    const Vector ends = means + z * stds;
    result[i] = sign * Solve(weights, means, stds, tail, ends.minCoeff(), ends.maxCoeff());
  }
  return result;
}

}  // namespace instantgp

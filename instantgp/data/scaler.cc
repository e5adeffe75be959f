#include "instantgp/data/scaler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "instantgp/base/check.h"
#include "instantgp/base/large_pages.h"

namespace instantgp {

namespace {

constexpr double kLargest = std::numeric_limits<double>::max();
// A new point this many training ranges away is nowhere; farther out the square of a distance would overflow.
constexpr double kFarthest = 1e100;

double Finite(double value) { return std::clamp(value, -kLargest, kLargest); }

// (value - centre) / scale where the difference may overflow.
double Standardize(double value, double centre, double scale) {
  const double difference = value - centre;
  const double z = std::isfinite(difference) ? difference / scale : (0.5 * value - 0.5 * centre) / (0.5 * scale);
  return std::clamp(z, -kFarthest, kFarthest);
}

struct MeanAndStd {
  double mean = 0;
  double std = 0;
};

// In units of the power of two above the largest value, where no sum or square overflows and scaling costs no digit.
MeanAndStd Moments(const Vector& y) {
  int exponent = 0;
  std::frexp(y.cwiseAbs().maxCoeff(), &exponent);
  Vector scaled(y.size());
  for (Index i = 0; i < y.size(); ++i) scaled(i) = std::ldexp(y(i), -exponent);
  const double mean = scaled.mean();
  const double variance = (scaled.array() - mean).square().mean();
  return {std::ldexp(mean, exponent), std::ldexp(std::sqrt(variance), exponent)};
}

}  // namespace

Scaler Scaler::Identity(int d) {
  Scaler scaler;
  scaler.x_min = Vector::Zero(d);
  scaler.x_range = Vector::Ones(d);
  scaler.constant_column.assign(static_cast<std::size_t>(d), false);
  return scaler;
}

Scaler Scaler::Fit(const Matrix& X, const Vector& y, const TargetTransform& transform) {
  INSTANTGP_CHECK(X.rows() == y.size() && X.rows() > 0);
  INSTANTGP_CHECK(X.allFinite() && y.allFinite());
  Scaler scaler = Identity(static_cast<int>(X.cols()));
  for (Index j = 0; j < X.cols(); ++j) {
    const double lowest = X.col(j).minCoeff();
    const double highest = X.col(j).maxCoeff();
    scaler.x_min(j) = lowest;
    if (lowest == highest) {
      scaler.constant_column[static_cast<std::size_t>(j)] = true;
    } else {
      scaler.x_range(j) = Finite(highest - lowest);
    }
  }
  if (y.minCoeff() == y.maxCoeff()) {
    // Asked before the moments, whose rounding would leave a standard deviation of its own.
    scaler.constant_target = true;
    scaler.y_mean = transform.Forward(y(0));
  } else {
    const MeanAndStd moments = Moments(y);
    scaler.y_mean = moments.mean;
    scaler.y_spread = scaler.y_std = std::max(moments.std, std::numeric_limits<double>::denorm_min());
    if (!transform.none()) {
      const MeanAndStd bent = Moments(y.unaryExpr([&](double value) { return transform.Forward(value); }));
      scaler.y_mean = bent.mean;
      scaler.y_std = std::max(bent.std, std::numeric_limits<double>::min());
    }
  }
  scaler.transform = transform;
  return scaler;
}

Matrix Scaler::ScaleX(const Matrix& X) const {
  INSTANTGP_CHECK(X.cols() == x_min.size());
  Matrix scaled(X.rows(), X.cols());
  AskForLargePages(scaled.data(), static_cast<std::size_t>(scaled.size()) * sizeof(double));
  for (Index j = 0; j < X.cols(); ++j) {
    const bool constant = constant_column[static_cast<std::size_t>(j)];
    for (Index i = 0; i < X.rows(); ++i) scaled(i, j) = constant ? 0 : Standardize(X(i, j), x_min(j), x_range(j));
  }
  return scaled;
}

Vector Scaler::ScaleY(const Vector& y) const {
  return y.unaryExpr([this](double value) { return Standardize(transform.Forward(value), y_mean, y_std); });
}

Vector Scaler::UnscaleMean(const Vector& mean) const {
  return mean.unaryExpr([this](double m) { return Finite(y_mean + y_std * m); });
}

Vector Scaler::UnscaleStd(const Vector& std) const {
  return std.unaryExpr([this](double s) { return Finite(y_std * s); });
}

double Scaler::LogUnit(const Vector& y_scaled) const {
  if (transform.none()) return std::log(y_std);
  double sum = 0;
  for (const double z : y_scaled) sum += std::log(transform.Slope(transform.Inverse(y_mean + y_std * z)));
  return std::log(y_std) - sum / static_cast<double>(y_scaled.size());
}

}  // namespace instantgp

#include "instantgp/forecast/transform.h"

#include <algorithm>
#include <cmath>

namespace instantgp {

std::optional<SeriesTransform> SeriesTransform::Fit(TransformKind kind, const std::vector<double>& values) {
  SeriesTransform transform;
  double largest = 0;
  for (const double y : values) largest = std::max(largest, std::abs(y));
  if (!(largest > 0)) return std::nullopt;
  transform.unit_ = largest;
  std::vector<double> bent(values);
  for (double& y : bent) y /= largest;
  const std::optional<TargetTransform> bend = TargetTransform::Fit(kind, bent);
  if (!bend) return std::nullopt;
  transform.bend_ = *bend;
  const double count = static_cast<double>(values.size());
  double sum = 0;
  for (double& y : bent) sum += y = bend->Forward(y);
  transform.centre_ = sum / count;
  double squares = 0;
  for (const double g : bent) squares += std::pow(g - transform.centre_, 2);
  transform.scale_ = std::sqrt(squares / count);
  // Rounding alone would make differences of this size.
  if (!(transform.scale_ > 1e-12 * std::max(1.0, std::abs(transform.centre_)))) return std::nullopt;
  return transform;
}

double SeriesTransform::Forward(double y) const { return (bend_.Forward(y / unit_) - centre_) / scale_; }
double SeriesTransform::Inverse(double z) const { return unit_ * bend_.Inverse(centre_ + scale_ * z); }
double SeriesTransform::Slope(double y) const { return bend_.Slope(y / unit_) / (scale_ * unit_); }

double SeriesTransform::LogJacobian(const std::vector<double>& values) const {
  double sum = 0;
  for (const double y : values) sum += std::log(Slope(y));
  return sum;
}

double SeriesTransform::MeanOf(double mean, double std) const {
  return unit_ * bend_.MeanOf(centre_ + scale_ * mean, scale_ * std);
}

double SeriesTransform::StdOf(double mean, double std) const {
  return unit_ * bend_.StdOf(centre_ + scale_ * mean, scale_ * std);
}

double SeriesTransform::FactorOf(double z) const {
  constexpr double kMostFactor = 300;  // of an exponent
  return std::exp(std::min(scale_ * z, kMostFactor));
}

}  // namespace instantgp

#include "instantgp/forecast/transform.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "instantgp/base/check.h"

namespace instantgp {
namespace {

// exp() of more is no number a forecast should name; reached only by series that grow a millionfold in a horizon.
constexpr double kMostLog = 300;

double Bend(TransformKind kind, double y) {
  switch (kind) {
    case TransformKind::kNone:
      return y;
    case TransformKind::kLog:
      return y > 0 ? std::log(y) : -std::numeric_limits<double>::infinity();
    case TransformKind::kBoxCox:
      return y >= 0 ? 2 * std::sqrt(y) : -std::numeric_limits<double>::infinity();
  }
  INSTANTGP_CHECK(false);
  return 0;
}

}  // namespace

std::string_view Name(TransformKind kind) {
  switch (kind) {
    case TransformKind::kNone:
      return "none";
    case TransformKind::kLog:
      return "log";
    case TransformKind::kBoxCox:
      return "boxcox";
  }
  INSTANTGP_CHECK(false);
  return "";
}

std::optional<SeriesTransform> SeriesTransform::Fit(TransformKind kind, const std::vector<double>& values) {
  SeriesTransform transform;
  transform.kind_ = kind;
  double largest = 0, smallest = std::numeric_limits<double>::infinity(), least_positive = smallest;
  for (const double y : values) {
    largest = std::max(largest, std::abs(y));
    smallest = std::min(smallest, y);
    if (y > 0) least_positive = std::min(least_positive, y);
  }
  if (!(largest > 0)) return std::nullopt;
  transform.unit_ = largest;
  if (kind != TransformKind::kNone) {
    if (smallest < 0) return std::nullopt;
    if (smallest == 0 && kind == TransformKind::kLog) transform.shift_ = 0.5 * least_positive / largest;
  }
  const double count = static_cast<double>(values.size());
  double sum = 0;
  for (const double y : values) sum += Bend(kind, y / transform.unit_ + transform.shift_);
  transform.centre_ = sum / count;
  double squares = 0;
  for (const double y : values) {
    squares += std::pow(Bend(kind, y / transform.unit_ + transform.shift_) - transform.centre_, 2);
  }
  transform.scale_ = std::sqrt(squares / count);
  // Rounding alone would make differences of this size.
  if (!(transform.scale_ > 1e-12 * std::max(1.0, std::abs(transform.centre_)))) return std::nullopt;
  return transform;
}

double SeriesTransform::Forward(double y) const { return (Bend(kind_, y / unit_ + shift_) - centre_) / scale_; }

double SeriesTransform::Inverse(double z) const {
  const double bent = centre_ + scale_ * z;
  switch (kind_) {
    case TransformKind::kNone:
      return unit_ * bent;
    case TransformKind::kLog:
      return unit_ * std::max(0.0, std::exp(std::min(bent, kMostLog)) - shift_);
    case TransformKind::kBoxCox:
      return bent <= 0 ? 0 : unit_ * std::max(0.0, bent * bent / 4 - shift_);
  }
  INSTANTGP_CHECK(false);
  return 0;
}

double SeriesTransform::FactorOf(double z) const { return std::exp(std::min(scale_ * z, kMostLog)); }

double SeriesTransform::Slope(double y) const {
  const double shifted = y / unit_ + shift_;
  const double bend = kind_ == TransformKind::kNone  ? 1
                      : kind_ == TransformKind::kLog ? 1 / shifted
                                                     : 1 / std::sqrt(shifted);
  return bend / (scale_ * unit_);
}

double SeriesTransform::LogJacobian(const std::vector<double>& values) const {
  // A zero has no finite slope under the square root; the next value the series can tell from it stands in.
  double sum = 0, least = std::numeric_limits<double>::infinity();
  for (const double y : values) {
    if (y > 0) least = std::min(least, y);
  }
  for (const double y : values) {
    const double at = kind_ == TransformKind::kBoxCox && y == 0 ? 0.5 * least : y;
    sum += std::log(Slope(at));
  }
  return sum;
}

double SeriesTransform::MeanOf(double mean, double std) const {
  const double m = centre_ + scale_ * mean, s = scale_ * std;
  switch (kind_) {
    case TransformKind::kNone:
      return unit_ * m;
    case TransformKind::kLog:
      return unit_ * (std::exp(std::min(m + 0.5 * s * s, kMostLog)) - shift_);
    case TransformKind::kBoxCox:
      return unit_ * ((m * m + s * s) / 4 - shift_);
  }
  INSTANTGP_CHECK(false);
  return 0;
}

double SeriesTransform::StdOf(double mean, double std) const {
  const double m = centre_ + scale_ * mean, s = scale_ * std;
  switch (kind_) {
    case TransformKind::kNone:
      return unit_ * s;
    case TransformKind::kLog:
      return unit_ * std::sqrt(std::expm1(std::min(s * s, kMostLog)) * std::exp(std::min(2 * m + s * s, kMostLog)));
    case TransformKind::kBoxCox:  // of w^2 / 4, w normal
      return unit_ * std::sqrt(4 * m * m * s * s + 2 * std::pow(s, 4)) / 4;
  }
  INSTANTGP_CHECK(false);
  return 0;
}

}  // namespace instantgp

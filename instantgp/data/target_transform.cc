#include "instantgp/data/target_transform.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "instantgp/base/check.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"
#include "instantgp/base/representable.h"

namespace instantgp {
namespace {

// e^300 times the largest value seen is no number a prediction should name.
constexpr double kMostLog = 300;
constexpr double kMostDouble = 700;  // exp() of it is finite

double MostLog(double largest) { return std::min(std::log(largest) + kMostLog, kMostDouble); }

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array<std::string_view, 4> kChoiceNames = {"auto", "none", "log", "boxcox"};

}  // namespace

std::string_view Name(TransformKind kind) { return kChoiceNames[static_cast<std::size_t>(kind) + 1]; }
std::string_view Name(TransformChoice choice) { return kChoiceNames[static_cast<std::size_t>(choice)]; }

std::string Transformed(TransformKind kind, const std::string& target) {
  return (kind == TransformKind::kLog ? "log " : kind == TransformKind::kBoxCox ? "2 sqrt " : "") + target;
}

TransformChoice TransformChoiceFromName(const std::string& name) {
  const auto* found = std::find(kChoiceNames.begin(), kChoiceNames.end(), name);
  if (found != kChoiceNames.end()) return static_cast<TransformChoice>(found - kChoiceNames.begin());
  throw Error(ErrorCode::kUsage, "there is no transform '" + OneLine(name) + "'; there are auto, none, log and boxcox",
              {{"transform", "auto"}});
}

std::optional<TargetTransform> TargetTransform::Fit(TransformKind kind, std::span<const double> values) {
  TargetTransform transform;
  transform.kind_ = kind;
  if (kind == TransformKind::kNone) return transform;
  double smallest = kInfinity, least = kInfinity, largest = 0;
  for (const double y : values) {
    smallest = std::min(smallest, y);
    largest = std::max(largest, y);
    if (y > 0) least = std::min(least, y);
  }
  if (smallest < 0 || !(largest > 0)) return std::nullopt;
  if (smallest == 0 && kind == TransformKind::kLog) transform.shift_ = 0.5 * least;
  transform.least_ = least;
  transform.largest_ = largest;
  transform.most_ = MostLog(largest);
  return transform;
}

TargetTransform TargetTransform::FromParts(TransformKind kind, double shift, double least, double largest) {
  const bool possible = std::isfinite(largest) && least > 0 && least <= largest && shift >= 0 && shift <= largest;
  if (!possible) throw Error(ErrorCode::kBadInput, "impossible transform of the target");
  TargetTransform transform;
  transform.kind_ = kind;
  transform.shift_ = shift;
  transform.least_ = least;
  transform.largest_ = largest;
  transform.most_ = MostLog(largest);
  return transform;
}

double TargetTransform::Forward(double y) const {
  const double shifted = y + shift_;
  switch (kind_) {
    case TransformKind::kNone:
      return y;
    case TransformKind::kLog:
      return shifted > 0 ? std::log(shifted) : -kInfinity;
    case TransformKind::kBoxCox:
      return shifted >= 0 ? 2 * std::sqrt(shifted) : -kInfinity;
  }
  INSTANTGP_CHECK(false);
  return 0;
}

double TargetTransform::Inverse(double g) const {
  switch (kind_) {
    case TransformKind::kNone:
      return g;
    case TransformKind::kLog:
      return std::max(0.0, std::exp(std::min(g, most_)) - shift_);
    case TransformKind::kBoxCox:
      return g <= 0 ? 0 : std::max(0.0, Representable(g * g / 4) - shift_);
  }
  INSTANTGP_CHECK(false);
  return 0;
}

double TargetTransform::Slope(double y) const {
  switch (kind_) {
    case TransformKind::kNone:
      return 1;
    case TransformKind::kLog:  // infinite at the end of the domain, never inside it
      return y + shift_ > 0 ? Representable(1 / (y + shift_)) : 1 / (y + shift_);
    case TransformKind::kBoxCox:
      return 1 / std::sqrt(std::max(y, 0.5 * least_) + shift_);
  }
  INSTANTGP_CHECK(false);
  return 0;
}

double TargetTransform::MeanOf(double mean, double std) const {
  switch (kind_) {
    case TransformKind::kNone:
      return mean;
    case TransformKind::kLog:
      return std::exp(std::min(mean + 0.5 * std * std, most_)) - shift_;
    case TransformKind::kBoxCox:
      return (mean * mean + std * std) / 4 - shift_;
  }
  INSTANTGP_CHECK(false);
  return 0;
}

double TargetTransform::StdOf(double mean, double std) const {
  const double variance = std * std;
  switch (kind_) {
    case TransformKind::kNone:
      return std;
    case TransformKind::kLog:
      return std::sqrt(std::expm1(std::min(variance, kMostLog))) * std::exp(std::min(mean + 0.5 * variance, most_));
    case TransformKind::kBoxCox:
      return std * std::sqrt(4 * mean * mean + 2 * variance) / 4;
  }
  INSTANTGP_CHECK(false);
  return 0;
}

double TargetTransform::CovOf(double mean_a, double std_a, double mean_b, double std_b, double c) const {
  switch (kind_) {
    case TransformKind::kNone:
      return c;
    case TransformKind::kLog: {
      const double a = std::min(mean_a + 0.5 * std_a * std_a, most_), b = std::min(mean_b + 0.5 * std_b * std_b, most_);
      const double growth = std::expm1(std::min(c, kMostLog)), cov = growth * std::exp(a) * std::exp(b);
      if (std::isfinite(cov) || growth == 0) return std::isfinite(cov) ? cov : 0;
      return std::copysign(std::exp(std::min(std::log(std::abs(growth)) + a + b, kMostDouble)), growth);
    }
    case TransformKind::kBoxCox:
      return c == 0 ? 0 : Representable(c * (2 * mean_a * mean_b + c) / 8);
  }
  INSTANTGP_CHECK(false);
  return 0;
}

}  // namespace instantgp

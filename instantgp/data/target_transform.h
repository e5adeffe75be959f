// How a target is looked at: as it is, or bent so that its changes are of one size.
//
//   none    g(y) = y
//   log     g(y) = log(y + shift)
//   boxcox  g(y) = 2 sqrt(y + shift), the Box-Cox transform with exponent 1/2
//
// Where g(y) is normal, y has a density, quantiles, a mean and a variance of its own, all of which are here.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "instantgp/base/export.h"

namespace instantgp {

enum class TransformKind { kNone, kLog, kBoxCox };
INSTANTGP_EXPORT std::string_view Name(TransformKind kind);  // "none", "log", "boxcox"
// g of a target in words: "price", "log price", "2 sqrt price".
INSTANTGP_EXPORT std::string Transformed(TransformKind kind, const std::string& target);

// What is asked for: one of them, or the one that the targets speak for.
enum class TransformChoice { kAuto, kNone, kLog, kBoxCox };
INSTANTGP_EXPORT std::string_view Name(TransformChoice choice);
// Error(kUsage) listing the names.
INSTANTGP_EXPORT TransformChoice TransformChoiceFromName(const std::string& name);

// A value; without arguments kNone.
class INSTANTGP_EXPORT TargetTransform {
 public:
  TargetTransform() = default;
  // Fitted to finite values. nullopt where the transform does not apply: a negative value for log and boxcox, or none
  // but zeros. Log of values with zeros is shifted by half of the smallest positive one.
  static std::optional<TargetTransform> Fit(TransformKind kind, std::span<const double> values);
  // From a file. Error(kBadInput) for numbers that Fit does not give.
  static TargetTransform FromParts(TransformKind kind, double shift, double least, double largest);

  double Forward(double y) const;  // g(y); minus infinity below the domain
  double Inverse(double g) const;  // y; the end of the domain for a g below it
  // g'(y). Under boxcox a zero has no finite slope; half of the smallest positive value it was fitted to stands in.
  double Slope(double y) const;

  // Moments of y where g(y) is normal with this mean and standard deviation, and of two such y where c is the
  // covariance of the g. Those of boxcox are of g^2/4 for negative g too. What is larger than a double can be is as
  // large as one can.
  double MeanOf(double mean, double std) const;
  double StdOf(double mean, double std) const;
  double CovOf(double mean_a, double std_a, double mean_b, double std_b, double c) const;

  TransformKind kind() const { return kind_; }
  bool none() const { return kind_ == TransformKind::kNone; }
  double shift() const { return shift_; }
  double least() const { return least_; }
  double largest() const { return largest_; }
  bool operator==(const TargetTransform&) const = default;

 private:
  TransformKind kind_ = TransformKind::kNone;
  double shift_ = 0;
  double least_ = 1, largest_ = 1;  // of the positive values it was fitted to
  double most_ = 0;                 // of log: larger exponents count as this one
};

}  // namespace instantgp

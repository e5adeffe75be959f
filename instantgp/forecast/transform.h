// How a series is looked at: as it is, or bent so that its changes are of one size.
//
//   none    g(y) = y
//   log     g(y) = log(y + shift)
//   boxcox  g(y) = 2 sqrt(y + shift), the Box-Cox transform with exponent 1/2
//
// Each is followed by standardisation: z = (g(y) - centre) / scale.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "instantgp/base/export.h"

namespace instantgp {

enum class TransformKind { kNone, kLog, kBoxCox };

// "none", "log", "boxcox"
INSTANTGP_EXPORT std::string_view Name(TransformKind kind);

class INSTANTGP_EXPORT SeriesTransform {
 public:
  // Fitted to values that are all finite and at least two different ones. nullopt where the transform does not apply: a
  // negative value for log and boxcox. Log of a series with zeros is shifted by half of its smallest positive value.
  static std::optional<SeriesTransform> Fit(TransformKind kind, const std::vector<double>& values);

  double Forward(double y) const;  // z; minus infinity below the domain
  double Inverse(double z) const;  // y; the end of the domain for a z below it
  // sum_i log dz_i/dy_i: what turns the density of z into that of y.
  double LogJacobian(const std::vector<double>& values) const;
  double Slope(double y) const;  // dz/dy

  // Mean and standard deviation of y where z is normal.
  double MeanOf(double mean, double std) const;
  double StdOf(double mean, double std) const;

  double FactorOf(double z) const;  // of kLog: exp(scale z), what an addend of z multiplies y by

  TransformKind kind() const { return kind_; }

 private:
  TransformKind kind_ = TransformKind::kNone;
  double unit_ = 1;   // y is measured in it, against overflow
  double shift_ = 0;  // in units
  double centre_ = 0, scale_ = 1;
};

}  // namespace instantgp

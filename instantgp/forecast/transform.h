// The transform of a series (data/target_transform.h) followed by standardisation:
//
//   z = (g(y / unit) - centre) / scale
//
// unit is the largest size of a value, against overflow.
#pragma once

#include <optional>
#include <vector>

#include "instantgp/base/export.h"
#include "instantgp/data/target_transform.h"

namespace instantgp {

class INSTANTGP_EXPORT SeriesTransform {
 public:
  // Fitted to values that are all finite. nullopt where the transform does not apply, and for values that differ by
  // no more than rounding.
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

  TransformKind kind() const { return bend_.kind(); }

 private:
  TargetTransform bend_;  // of values in units
  double unit_ = 1;
  double centre_ = 0, scale_ = 1;
};

}  // namespace instantgp

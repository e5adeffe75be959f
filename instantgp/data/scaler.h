// The maps between a user's units and the model's: x to [0,1] by training minimum and maximum, y standardised after its
// transform g (target_transform.h), which is none unless it was asked for.
//
//   x_scaled = (x - x_min) / x_range,    y_scaled = (g(y) - y_mean) / y_std
//
// y_std is the population standard deviation (divide by n). A constant column has x_range = 1 (it maps to 0
// everywhere); a constant target, or one row, has y_std = 1 (it maps to 0). Computed without overflow for every finite
// value; scaled values are limited to +-1e100, so that the square of a distance is finite, and unscaled ones to the
// largest double.
#pragma once

#include <memory>
#include <vector>

#include "instantgp/base/export.h"
#include "instantgp/base/matrix.h"
#include "instantgp/data/target_transform.h"

namespace instantgp {

struct Recipe;

struct INSTANTGP_EXPORT Scaler {
  Vector x_min;       // (d)
  Vector x_range;     // (d), > 0
  double y_mean = 0;  // of g(y)
  double y_std = 1;
  std::vector<bool> constant_column;  // (d)
  bool constant_target = false;
  // What came before the scaling: how the user's columns became x (recipe.h). Null: they are numbers, and are x.
  std::shared_ptr<const Recipe> recipe;
  TargetTransform transform;
  double y_spread = 1;  // the standard deviation of y itself; without a transform y_std

  static Scaler Fit(const Matrix& X, const Vector& y, const TargetTransform& transform = {});
  static Scaler Identity(int d);

  Matrix ScaleX(const Matrix& X) const;
  Vector ScaleY(const Vector& y) const;
  Vector UnscaleMean(const Vector& mean) const;  // of g(y): y_mean + y_std m
  Vector UnscaleStd(const Vector& std) const;    // of g(y): y_std s
  // mean_i log dy_i/dy_scaled_i over rows of scaled targets: what turns their mean NLL into that of y.
  double LogUnit(const Vector& y_scaled) const;
};

}  // namespace instantgp

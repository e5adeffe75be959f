// The maps between a user's units and the model's: x to [0,1] by training minimum and maximum, y standardised.
//
//   x_scaled = (x - x_min) / x_range,    y_scaled = (y - y_mean) / y_std
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

namespace instantgp {

struct Recipe;

struct INSTANTGP_EXPORT Scaler {
  Vector x_min;    // (d)
  Vector x_range;  // (d), > 0
  double y_mean = 0;
  double y_std = 1;
  std::vector<bool> constant_column;  // (d)
  bool constant_target = false;
  // What came before the scaling: how the user's columns became x (recipe.h). Null: they are numbers, and are x.
  std::shared_ptr<const Recipe> recipe;

  static Scaler Fit(const Matrix& X, const Vector& y);
  static Scaler Identity(int d);

  Matrix ScaleX(const Matrix& X) const;
  Vector ScaleY(const Vector& y) const;
  Vector UnscaleMean(const Vector& mean) const;  // y_mean + y_std m
  Vector UnscaleStd(const Vector& std) const;    // y_std s
};

}  // namespace instantgp

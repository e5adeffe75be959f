// What a model says of new rows, in the user's units.
#pragma once

#include "instantgp/base/export.h"
#include "instantgp/base/matrix.h"
#include "instantgp/data/scaler.h"
#include "instantgp/data/target_transform.h"

namespace instantgp {

// Of every row a normal distribution, or, of a model whose targets were transformed, the distribution of a y whose g(y)
// is normal. Quantiles are exact in both cases; where g is log or boxcox the distribution is not symmetric, and its
// median is the better single number to name.
struct INSTANTGP_EXPORT Prediction {
  Vector mean;  // of y
  Vector std;
  // Only with a transform: mean and standard deviation of g(y).
  TargetTransform transform = {};
  Vector transformed_mean = {}, transformed_std = {};

  // From those of scaled targets.
  static Prediction Of(const Scaler& scaler, const Vector& scaled_mean, const Vector& scaled_std);

  Vector Median() const;
  // The ends of the central interval of the given probability, e.g. 0.95; without a transform mean -+ z std.
  Vector Lower(double probability) const;
  Vector Upper(double probability) const;
  Vector Quantile(double probability) const;

 private:
  Vector At(double z) const;
};

}  // namespace instantgp

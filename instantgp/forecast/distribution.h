// What is expected of one future value: a mixture of normal distributions, each seen through its own transform.
#pragma once

#include <vector>

#include "instantgp/base/export.h"
#include "instantgp/forecast/transform.h"

namespace instantgp {

class INSTANTGP_EXPORT ForecastDistribution {
 public:
  struct Component {
    SeriesTransform transform;
    double mean = 0, std = 1;  // of the transformed value
    double weight = 1;
  };

  // All the probability at one value.
  static ForecastDistribution At(double value);
  // Weights are positive and sum to one.
  explicit ForecastDistribution(std::vector<Component> components);

  double Cdf(double y) const;                 // P(Y <= y)
  double Quantile(double probability) const;  // to 1e-10 of the spread
  double Median() const { return Quantile(0.5); }
  double Mean() const;
  double Std() const;
  // The continuous ranked probability score of an observation, in its unit: the mean of |Y - y| less half of the mean
  // of |Y - Y'|. By 100 quantiles.
  double Crps(double observed) const;

 private:
  ForecastDistribution() = default;
  std::vector<Component> components_;  // none: all at point_
  double point_ = 0;
};

}  // namespace instantgp

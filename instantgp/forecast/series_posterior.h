// A kernel fitted to a series by a few steps up the posterior density of its parameters.
#pragma once

#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/forecast/grid_likelihood.h"
#include "instantgp/forecast/series_kernel.h"
#include "instantgp/optimize/second_order.h"

namespace instantgp {

// -log p(z | theta) - log p(theta), per point, as a function of the log-parameters that are not fixed. All three must
// outlive it.
class SeriesPosterior final : public SecondOrderFunction {
 public:
  SeriesPosterior(const SeriesKernel& kernel, GridLikelihood& likelihood, const Vector& z);

  int size() const override { return static_cast<int>(kernel_.priors.size()); }
  bool Value(Vector& theta, double* value) override;
  bool Slopes(Vector* gradient, Matrix* curvature) override;

  // The prior means, fixed rows at their values.
  LogParameters Start() const;
  double LogPrior(const LogParameters& theta) const;  // normalised

 private:
  const SeriesKernel& kernel_;
  GridLikelihood& likelihood_;
  const Vector& z_;
  std::vector<double> precision_;  // 1 / std^2; 0 for fixed rows
  LogParameters evaluated_;
};

struct SeriesFit {
  bool ok = false;
  LogParameters theta;
  double log_likelihood = 0, log_prior = 0;
  int evaluations = 0;
};
SeriesFit FitSeries(const SeriesKernel& kernel, GridLikelihood& likelihood, const Vector& z, int steps);

// Of every log-parameter, by the curvature at theta; NaN for fixed ones, nothing where there is no curvature.
Vector PosteriorVariances(const SeriesKernel& kernel, GridLikelihood& likelihood, const Vector& z,
                          const LogParameters& theta);

}  // namespace instantgp

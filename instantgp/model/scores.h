// How good a predictive distribution was, against what then happened.
#pragma once

#include "instantgp/base/matrix.h"
#include "instantgp/data/scaler.h"
#include "instantgp/gp/prediction.h"
#include "instantgp/model/mixture.h"

namespace instantgp {

// Means over the test points. `std` is that of observations, noise included.
struct PredictiveScores {
  double rmse = 0;
  double nll = 0;  // mean negative log predictive density
  // Share of targets inside the central interval of that probability.
  double coverage50 = 0, coverage90 = 0, coverage95 = 0;
  double crps = 0;
};

// Of standardised targets in the user's units as well.
Scores InUnits(const PredictiveScores& standardized, double y_std);
// Of y, where mean and standard deviation are those of scaled targets. Under a transform the density includes its
// Jacobian; a y that the transform does not allow has the density 0.
Scores ScoreInUnits(const Scaler& scaler, const Vector& y, const Vector& scaled_mean, const Vector& scaled_std);
// The mixture of standardised targets.
Mixture Standardized(const Mixture& mixture, const Scaler& scaler);

// Gaussian predictions. y, mean, std: (m), m > 0, std > 0.
PredictiveScores ScoreGaussian(const Vector& y, const Vector& mean, const Vector& std);

// Mixtures, one for each test point. rmse is that of the mixture's mean; intervals are between the mixture's quantiles.
PredictiveScores ScoreMixture(const Vector& y, const Mixture& mixture);

// Continuous ranked probability score, integral of (F(t) - [t >= y])^2 dt:
//   Gaussian: s (z (2 Phi(z) - 1) + 2 phi(z) - 1/sqrt(pi)),  z = (y - mean) / s
//   mixture: sum_i w_i A(y - m_i, s_i^2) - 1/2 sum_ij w_i w_j A(m_i - m_j, s_i^2 + s_j^2),
//            A(m, s^2) = 2 s phi(m/s) + m (2 Phi(m/s) - 1)
double GaussianCrps(double y, double mean, double std);
double MixtureCrps(double y, const Vector& means, const Vector& stds, const Vector& weights);

}  // namespace instantgp

#include "instantgp/model/scores.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "instantgp/base/check.h"
#include "instantgp/base/normal.h"
#include "instantgp/model/prediction.h"

namespace instantgp {
namespace {

// E|X| for X ~ N(m, s^2)
double MeanAbsolute(double m, double s) {
  const double z = m / s;
  return 2 * s * NormalDensity(z) + m * std::erf(z / std::numbers::sqrt2);
}

// Counts targets by u = F(y): inside the central interval of probability p when |2 u - 1| <= p.
void AddCoverage(double u, PredictiveScores& scores) {
  const double central = std::abs(2 * u - 1);
  scores.coverage50 += central <= 0.50 ? 1 : 0;
  scores.coverage90 += central <= 0.90 ? 1 : 0;
  scores.coverage95 += central <= 0.95 ? 1 : 0;
}

void Average(double squared_error, Index m, PredictiveScores& scores) {
  const double count = static_cast<double>(m);
  scores.rmse = std::sqrt(squared_error / count);
  for (double* sum : {&scores.nll, &scores.coverage50, &scores.coverage90, &scores.coverage95, &scores.crps}) {
    *sum /= count;
  }
}

}  // namespace

Scores InUnits(const PredictiveScores& standardized, double y_std) {
  Scores scores;
  scores.rmse_standardized = standardized.rmse;
  scores.nll_standardized = standardized.nll;
  scores.rmse = standardized.rmse * y_std;
  scores.nll = standardized.nll + std::log(y_std);
  scores.coverage95 = standardized.coverage95;
  return scores;
}

Scores ScoreInUnits(const Scaler& scaler, const Vector& y, const Vector& scaled_mean, const Vector& scaled_std) {
  // A density even where the model is certain.
  const Vector std = scaled_std.cwiseMax(std::numeric_limits<double>::min());
  if (scaler.transform.none()) return InUnits(ScoreGaussian(scaler.ScaleY(y), scaled_mean, std), scaler.y_std);
  const Prediction prediction = Prediction::Of(scaler, scaled_mean, std);
  PredictiveScores own;
  for (Index i = 0; i < y.size(); ++i) {
    const double g = scaler.transform.Forward(y[i]);
    const double z = (g - prediction.transformed_mean[i]) / prediction.transformed_std[i];
    const double log_slope = std::isfinite(g) ? std::log(scaler.transform.Slope(y[i])) : 0;
    own.nll -= LogNormalDensity(g, prediction.transformed_mean[i], prediction.transformed_std[i]) + log_slope;
    AddCoverage(NormalCdf(z), own);
  }
  Average((y - prediction.mean).squaredNorm(), y.size(), own);
  Scores scores;
  scores.rmse = own.rmse;
  scores.nll = own.nll;
  scores.rmse_standardized = own.rmse / scaler.y_spread;
  scores.nll_standardized = own.nll - std::log(scaler.y_spread);
  scores.coverage95 = own.coverage95;
  return scores;
}

Mixture Standardized(const Mixture& mixture, const Scaler& scaler) {
  const Matrix means = (mixture.means().array() - scaler.y_mean) / scaler.y_std;
  return Mixture(mixture.weights(), means, mixture.stds() / scaler.y_std);
}

double GaussianCrps(double y, double mean, double std) {
  const double z = (y - mean) / std;
  return std * (z * std::erf(z / std::numbers::sqrt2) + 2 * NormalDensity(z) - std::numbers::inv_sqrtpi);
}

double MixtureCrps(double y, const Vector& means, const Vector& stds, const Vector& weights) {
  double crps = 0;
  for (Index i = 0; i < means.size(); ++i) {
    crps += weights[i] * MeanAbsolute(y - means[i], stds[i]);
    for (Index j = 0; j < means.size(); ++j) {
      crps -= 0.5 * weights[i] * weights[j] * MeanAbsolute(means[i] - means[j], std::hypot(stds[i], stds[j]));
    }
  }
  return crps;
}

PredictiveScores ScoreGaussian(const Vector& y, const Vector& mean, const Vector& std) {
  INSTANTGP_CHECK(y.size() > 0 && mean.size() == y.size() && std.size() == y.size() && std.minCoeff() > 0);
  PredictiveScores scores;
  for (Index i = 0; i < y.size(); ++i) {
    scores.nll -= LogNormalDensity(y[i], mean[i], std[i]);
    scores.crps += GaussianCrps(y[i], mean[i], std[i]);
    AddCoverage(NormalCdf((y[i] - mean[i]) / std[i]), scores);
  }
  Average((y - mean).squaredNorm(), y.size(), scores);
  return scores;
}

PredictiveScores ScoreMixture(const Vector& y, const Mixture& mixture) {
  INSTANTGP_CHECK(y.size() > 0 && mixture.rows() == y.size());
  const Vector log_density = mixture.LogDensity(y), u = mixture.Cdf(y);
  PredictiveScores scores;
  for (Index i = 0; i < y.size(); ++i) {
    scores.nll -= log_density[i];
    scores.crps += MixtureCrps(y[i], mixture.means().row(i), mixture.stds().row(i), mixture.weights());
    AddCoverage(u[i], scores);
  }
  Average((y - mixture.Mean()).squaredNorm(), y.size(), scores);
  return scores;
}

}  // namespace instantgp

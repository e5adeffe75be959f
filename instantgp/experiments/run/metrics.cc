#include "instantgp/experiments/run/metrics.h"

#include <array>
#include <cmath>
#include <numbers>

#include "instantgp/base/check.h"
#include "instantgp/base/normal.h"

namespace instantgp {
namespace {

const double kLogSqrt2Pi = 0.5 * std::log(2 * std::numbers::pi);

double Density(double z) { return std::exp(-0.5 * z * z - kLogSqrt2Pi); }
double Distribution(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

// E|X| for X ~ N(m, s^2)
double MeanAbsolute(double m, double s) {
  const double z = m / s;
  return 2 * s * Density(z) + m * std::erf(z / std::numbers::sqrt2);
}

double LogDensity(double y, double mean, double std) {
  const double z = (y - mean) / std;
  return -0.5 * z * z - kLogSqrt2Pi - std::log(std);
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

double GaussianCrps(double y, double mean, double std) {
  const double z = (y - mean) / std;
  return std * (z * std::erf(z / std::numbers::sqrt2) + 2 * Density(z) - std::numbers::inv_sqrtpi);
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
    scores.nll -= LogDensity(y[i], mean[i], std[i]);
    scores.crps += GaussianCrps(y[i], mean[i], std[i]);
    AddCoverage(Distribution((y[i] - mean[i]) / std[i]), scores);
  }
  Average((y - mean).squaredNorm(), y.size(), scores);
  return scores;
}

PredictiveScores ScoreMixture(const Vector& y, const Matrix& means, const Matrix& stds, const Vector& weights) {
  const Index m = y.size(), K = weights.size();
  INSTANTGP_CHECK(m > 0 && K > 0 && means.rows() == m && means.cols() == K && stds.rows() == m && stds.cols() == K);
  PredictiveScores scores;
  double squared_error = 0;
  for (Index i = 0; i < m; ++i) {
    Vector logs(K);
    double u = 0;
    for (Index k = 0; k < K; ++k) {
      logs[k] = std::log(weights[k]) + LogDensity(y[i], means(i, k), stds(i, k));
      u += weights[k] * Distribution((y[i] - means(i, k)) / stds(i, k));
    }
    const double largest = logs.maxCoeff();
    scores.nll -= largest + std::log((logs.array() - largest).exp().sum());
    scores.crps += MixtureCrps(y[i], means.row(i), stds.row(i), weights);
    AddCoverage(u, scores);
    const double error = y[i] - means.row(i).dot(weights);
    squared_error += error * error;
  }
  Average(squared_error, m, scores);
  return scores;
}

}  // namespace instantgp

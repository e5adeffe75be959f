#include "instantgp/inference/spread.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "instantgp/kernel/parameters.h"

namespace instantgp {
namespace {

constexpr std::array kNoiseFactors = {1.0, 0.1, 0.01, 1e-3, 1e-4};
constexpr std::array kLengthscaleFactors = {1.0, 3.0, 12.0};
// Of the isotropic ones: log lengthscales, and log noise variances relative to the kernel's.
constexpr std::array kIsotropic = {-0.7, 0.4, 1.6, 3.0};
// The least leaves steps room before the soft wall, which stands at -20 and does not follow the targets' scale.
constexpr std::array kIsotropicNoise = {-2.0, -4.0, -6.0, -9.0, -12.0, -15.0, -18.0};

// A heat is run on so many rows; at least so many go on to the final, or a quarter. On eleven tables of 50 to 500 rows,
// six splits each, RMSE over that of type-2 ML was the same to three digits (0.943) with all in the final, with six or
// a third, and with these: the steps that follow even it out. One fit at (100, 2) takes 0.86 of the time with six.
constexpr int kHeatRows = 40;
constexpr std::size_t kLeastInFinal = 4;

NlmlPoint BestRung(const Covariance& covariance, const RowSample& rows, const NoiseLadder& ladder,
                   const ClosedFormScale* scale, double least_noise) {
  NlmlPoint point;
  if (!ladder.theta.allFinite()) return point;
  point.theta = ladder.theta;
  Matrix K(rows.X.rows(), rows.X.rows());
  covariance.Gram(rows.X, point.theta.data(), K, point.workspace.covariance);
  const double base = ladder.of_kernel ? std::log(K.diagonal().mean()) : 0;
  NlmlWorkspace trial;
  for (const double rung : ladder.log_noises) {
    const double log_noise = base + rung;
    const NlmlValue value = NlmlOfGram(K, rows.y, log_noise, trial, scale);
    if (point.value.ok && log_noise + value.log_scale < least_noise) break;
    if (point.value.ok && !(value.ok && value.nlml < point.value.nlml)) break;  // noise has one optimum, nearly always
    if (!value.ok) continue;
    point.value = value;
    point.theta.noise() = log_noise;
    std::swap(point.workspace.A, trial.A);
    std::swap(point.workspace.alpha, trial.alpha);
  }
  return point;
}

}  // namespace

LogParameters WithVariance(const Covariance& covariance, const Matrix& X, LogParameters theta, double variance) {
  Vector diagonal;
  covariance.Diagonal(X, theta.data(), diagonal);
  const double shift = std::log(variance / diagonal.mean());
  if (std::isfinite(shift)) theta += shift * ScaleDirection(covariance.expression());
  return theta;
}

std::vector<NoiseLadder> Spread(const Structure& structure, const Matrix& hypotheses) {
  const ParameterTable table(ToExpression(structure));
  const std::vector<Index> lengthscales =
      table.Rows(ParameterKind::kLengthscale, {Elementary::kSE, Elementary::kMAT52});
  std::vector<NoiseLadder> ladders;
  for (Index k = 0; k < hypotheses.cols(); ++k) {
    for (const double factor : kLengthscaleFactors) {
      if (factor > 1 && lengthscales.empty()) continue;
      NoiseLadder ladder{hypotheses.col(k), {}, false};
      for (const Index row : lengthscales) ladder.theta[row] += std::log(factor);
      for (const double noise : kNoiseFactors) ladder.log_noises.push_back(ladder.theta.noise() + std::log(noise));
      ladders.push_back(std::move(ladder));
    }
  }
  if (lengthscales.empty() || hypotheses.cols() == 0) return ladders;
  for (const double log_lengthscale : kIsotropic) {
    NoiseLadder ladder{hypotheses.col(0), {kIsotropicNoise.begin(), kIsotropicNoise.end()}, true};
    for (const Index row : lengthscales) ladder.theta[row] = log_lengthscale;
    ladders.push_back(std::move(ladder));
  }
  return ladders;
}

std::vector<NoiseLadder> Heat(const Covariance& covariance, const RowSample& rows, std::vector<NoiseLadder> ladders,
                              const ClosedFormScale* scale, double least_noise, ThreadPool* pool) {
  const std::size_t kept = std::max(kLeastInFinal, ladders.size() / 4);
  if (rows.X.rows() <= 3 * kHeatRows / 2 || ladders.size() <= kept) return ladders;
  const RowSample heat = SpreadSample(rows.X, rows.y, kHeatRows);
  std::vector<std::pair<double, std::size_t>> times(ladders.size());
  RunOn(pool, static_cast<int>(ladders.size()), [&](int k, int) {
    const auto at = static_cast<std::size_t>(k);
    const NlmlPoint best = BestRung(covariance, heat, ladders[at], scale, least_noise);
    times[at] = {best.value.ok ? best.value.nlml : std::numeric_limits<double>::infinity(), at};
  });
  std::sort(times.begin(), times.end());
  std::vector<NoiseLadder> final;
  for (std::size_t k = 0; k < kept; ++k) final.push_back(std::move(ladders[times[k].second]));
  return final;
}

std::vector<NlmlPoint> RankLadders(const Covariance& covariance, const RowSample& rows,
                                   const std::vector<NoiseLadder>& ladders, const ClosedFormScale* scale,
                                   double least_noise, ThreadPool* pool) {
  std::vector<NlmlPoint> best(ladders.size());
  RunOn(pool, static_cast<int>(ladders.size()), [&](int k, int) {
    best[static_cast<std::size_t>(k)] =
        BestRung(covariance, rows, ladders[static_cast<std::size_t>(k)], scale, least_noise);
  });
  std::erase_if(best, [](const NlmlPoint& point) { return !point.value.ok; });
  std::stable_sort(best.begin(), best.end(),
                   [](const NlmlPoint& a, const NlmlPoint& b) { return a.value.nlml < b.value.nlml; });
  return best;
}

}  // namespace instantgp

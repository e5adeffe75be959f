#include "instantgp/inference/spread.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "instantgp/kernel/parameters.h"

namespace instantgp {
namespace {

constexpr std::array kNoiseFactors = {1.0, 0.1, 0.01};
constexpr std::array kLengthscaleFactors = {1.0, 3.0, 12.0};
// Of the isotropic ones: log lengthscales, and log noise variances relative to the kernel's.
constexpr std::array kIsotropic = {-0.7, 0.4, 1.6};
constexpr std::array kIsotropicNoise = {-2.0, -4.0, -6.0};

}  // namespace

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

std::vector<NlmlPoint> RankLadders(const Covariance& covariance, const RowSample& rows,
                                   const std::vector<NoiseLadder>& ladders, const ClosedFormScale* scale,
                                   ThreadPool* pool) {
  std::vector<NlmlPoint> best(ladders.size());
  RunOn(pool, static_cast<int>(ladders.size()), [&](int k, int) {
    const NoiseLadder& ladder = ladders[static_cast<std::size_t>(k)];
    NlmlPoint& point = best[static_cast<std::size_t>(k)];
    if (!ladder.theta.allFinite()) return;
    point.theta = ladder.theta;
    Matrix K(rows.X.rows(), rows.X.rows());
    covariance.Gram(rows.X, point.theta.data(), K, point.workspace.covariance);
    const double base = ladder.of_kernel ? std::log(K.diagonal().mean()) : 0;
    NlmlWorkspace trial;
    for (const double rung : ladder.log_noises) {
      const double log_noise = base + rung;
      const NlmlValue value = NlmlOfGram(K, rows.y, log_noise, trial, scale);
      if (point.value.ok && !(value.ok && value.nlml < point.value.nlml))
        break;  // noise has one optimum, nearly always
      if (!value.ok) continue;
      point.value = value;
      point.theta.noise() = log_noise;
      std::swap(point.workspace.A, trial.A);
      std::swap(point.workspace.alpha, trial.alpha);
    }
  });
  std::erase_if(best, [](const NlmlPoint& point) { return !point.value.ok; });
  std::stable_sort(best.begin(), best.end(),
                   [](const NlmlPoint& a, const NlmlPoint& b) { return a.value.nlml < b.value.nlml; });
  return best;
}

}  // namespace instantgp

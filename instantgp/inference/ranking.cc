#include "instantgp/inference/ranking.h"

#include <algorithm>
#include <utility>

#include "instantgp/base/thread_pool.h"

namespace instantgp {

std::optional<ClosedFormScale> ScaleOf(const NetworkConfig& config) {
  if (!config.closed_form_scale) return std::nullopt;
  return ClosedFormScale{};
}

std::vector<NlmlPoint> RankHypotheses(const Covariance& covariance, const RowSample& rows, const Matrix& hypotheses,
                                      const ClosedFormScale* scale, ThreadPool* pool) {
  std::vector<NlmlPoint> candidates(static_cast<std::size_t>(hypotheses.cols()));
  RunOn(pool, static_cast<int>(candidates.size()), [&](int k, int) {
    candidates[k].theta = hypotheses.col(k);
    Evaluate(covariance, rows.X, rows.y, scale, candidates[k]);
  });
  std::erase_if(candidates, [](const NlmlPoint& c) { return !c.value.ok; });
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const NlmlPoint& a, const NlmlPoint& b) { return a.value.nlml < b.value.nlml; });
  return candidates;
}

ChosenHypothesis ChooseHypothesis(const Covariance& covariance, const Matrix& X, const Vector& y,
                                  const Matrix& hypotheses, const std::optional<ClosedFormScale>& scale,
                                  NlmlWorkspace& workspace) {
  ChosenHypothesis best;
  for (Index k = 0; k < hypotheses.cols(); ++k) {
    const NlmlValue value = NegativeLogMarginalLikelihood(covariance, X, y, hypotheses.col(k), nullptr, workspace,
                                                          scale ? &*scale : nullptr);
    if (value.ok && (!best.ok || value.nlml < best.nlml)) {
      best = {true, static_cast<int>(k), value.nlml, value.log_scale};
    }
  }
  return best;
}

LogParameters ScaleKernelAndNoise(const Structure& structure, LogParameters theta, double log_scale) {
  ScaleKernel(structure, log_scale, theta);
  theta.noise() += log_scale;
  return theta;
}

}  // namespace instantgp

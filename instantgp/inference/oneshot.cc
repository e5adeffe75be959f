#include "instantgp/inference/oneshot.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "instantgp/base/error.h"
#include "instantgp/gp/cholesky.h"
#include "instantgp/inference/gradient_step.h"
#include "instantgp/inference/row_sample.h"

namespace instantgp {
namespace {

// The hypotheses evaluated on the rows, best first; of equals the earlier one. Those that could not be are left out.
std::vector<NlmlPoint> RankHypotheses(const Covariance& covariance, const RowSample& rows, const Matrix& theta,
                                      const ClosedFormScale* scale, ThreadPool* pool) {
  std::vector<NlmlPoint> candidates(theta.cols());
  const int count = static_cast<int>(candidates.size());
  const auto evaluate = [&](int k, int) {
    candidates[k].theta = theta.col(k);
    Evaluate(covariance, rows.X, rows.y, scale, candidates[k]);
  };
  if (pool != nullptr) {
    pool->Run(count, evaluate);
  } else {
    for (int k = 0; k < count; ++k) evaluate(k, 0);
  }
  std::erase_if(candidates, [](const NlmlPoint& c) { return !c.value.ok; });
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const NlmlPoint& a, const NlmlPoint& b) { return a.value.nlml < b.value.nlml; });
  return candidates;
}

// A' = c A has the factor sqrt(c) L and alpha / c.
Posterior ScaledPosterior(const Structure& structure, const Matrix& X, const Vector& y, NlmlPoint& of) {
  Matrix& L = of.workspace.A;
  Vector& alpha = of.workspace.alpha;
  SolveLowerTransposed(L, alpha);
  const double scale = std::exp(of.value.log_scale), root = std::exp(0.5 * of.value.log_scale);
  for (Index j = 0; j < L.cols(); ++j) {
    L.col(j).head(j).setZero();
    L.col(j).tail(L.rows() - j) *= root;
  }
  alpha /= scale;
  return Posterior(ToExpression(structure), X, y, ScaleKernelAndNoise(structure, of.theta, of.value.log_scale),
                   std::move(L), std::move(alpha), of.value.jitter * scale);
}

}  // namespace

OneShot ChoosePosterior(const Structure& structure, const Matrix& X, const Vector& y, const Matrix& theta,
                        const std::optional<ClosedFormScale>& scale, ThreadPool* pool, GradientStep tuned) {
  const Covariance covariance(ToExpression(structure));
  const ClosedFormScale* used_scale = scale ? &*scale : nullptr;
  const int n = static_cast<int>(X.rows());
  const RowSample ranking_rows = SpreadSample(X, y, kRankingRows);
  std::vector<NlmlPoint> candidates = RankHypotheses(covariance, ranking_rows, theta, used_scale, pool);
  int evaluations = static_cast<int>(theta.cols());
  bool on_all_rows = ranking_rows.y.size() == n;
  const bool step = tuned == GradientStep::kYes && n >= kFewestRowsToStep && !candidates.empty();
  if (step) {
    NlmlPoint best = std::move(candidates.front());
    candidates.front().theta = best.theta;  // as decoded, should the tuned one have no factor on all rows
    evaluations += StepDown(covariance, ranking_rows.X, ranking_rows.y, used_scale, pool, best);
    const RowSample noise_rows = SpreadSample(X, y, kNoiseRows);
    if (!on_all_rows) {
      best.workspace.covariance.pool = pool;
      Evaluate(covariance, noise_rows.X, noise_rows.y, used_scale, best);
      ++evaluations;
    }
    if (best.value.ok) {
      evaluations += TuneNoise(noise_rows.y, used_scale, pool, best);
      evaluations += RaiseNoise(NoiseFloor(noise_rows.X, noise_rows.y, covariance.num_parameters()), noise_rows.y,
                                used_scale, best);
    }
    on_all_rows = best.value.ok && noise_rows.y.size() == n;
    if (best.value.ok) candidates.insert(candidates.begin(), std::move(best));
  } else if (!candidates.empty()) {
    const NoiseFloor floor(ranking_rows.X, ranking_rows.y, covariance.num_parameters());
    evaluations += RaiseNoise(floor, ranking_rows.y, used_scale, candidates.front());
  }
  // The best one's turn first; the others follow should it have no factor on all rows.
  for (NlmlPoint& candidate : candidates) {
    if (!on_all_rows || &candidate != &candidates.front()) {
      candidate.workspace.covariance.pool = pool;
      candidate.value =
          NegativeLogMarginalLikelihood(covariance, X, y, candidate.theta, nullptr, candidate.workspace, used_scale);
      ++evaluations;
    }
    if (candidate.value.ok) return {ScaledPosterior(structure, X, y, candidate), evaluations, step};
  }
  throw Error(ErrorCode::kNumerical, "none of the network's " + std::to_string(theta.cols()) +
                                         " hypotheses could be factorised on " + std::to_string(n) +
                                         " rows. Look for duplicate rows or extreme values, or fit with --method map.");
}

}  // namespace instantgp

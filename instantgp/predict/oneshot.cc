#include "instantgp/predict/oneshot.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "instantgp/base/error.h"
#include "instantgp/gp/cholesky.h"
#include "instantgp/predict/subsample.h"

namespace instantgp {
namespace {

struct Scored {
  NlmlWorkspace workspace;  // A: the factor, alpha: L^-1 y
  NlmlValue value;
};

// Evaluates every hypothesis on the given rows.
std::vector<Scored> Score(const Covariance& covariance, const Matrix& X, const Vector& y, const Matrix& theta,
                          const ClosedFormScale* scale, ThreadPool* pool) {
  std::vector<Scored> scored(theta.cols());
  const auto evaluate = [&](int k, int) {
    scored[k].value =
        NegativeLogMarginalLikelihood(covariance, X, y, theta.col(k), nullptr, scored[k].workspace, scale);
  };
  const int count = static_cast<int>(theta.cols());
  if (pool != nullptr) {
    pool->Run(count, evaluate);
  } else {
    for (int k = 0; k < count; ++k) evaluate(k, 0);
  }
  return scored;
}

// Hypotheses that could be evaluated, best first; the first of equals first.
std::vector<int> Ranked(const std::vector<Scored>& scored) {
  std::vector<int> order(scored.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](int k) { return !scored[k].value.ok; });
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return scored[a].value.nlml < scored[b].value.nlml; });
  return order;
}

// A' = c A has the factor sqrt(c) L and alpha / c.
Posterior ScaledPosterior(const Structure& structure, const Matrix& X, const Vector& y, const Vector& theta,
                          Scored& of) {
  Matrix& L = of.workspace.A;
  Vector& alpha = of.workspace.alpha;
  SolveLowerTransposed(L, alpha);
  const double scale = std::exp(of.value.log_scale), root = std::exp(0.5 * of.value.log_scale);
  for (Index j = 0; j < L.cols(); ++j) {
    L.col(j).head(j).setZero();
    L.col(j).tail(L.rows() - j) *= root;
  }
  alpha /= scale;
  return Posterior(ToExpression(structure), X, y, ScaleKernelAndNoise(structure, theta, of.value.log_scale),
                   std::move(L), std::move(alpha), of.value.jitter * scale);
}

}  // namespace

OneShot ChoosePosterior(const Structure& structure, const Matrix& X, const Vector& y, const Matrix& theta,
                        const std::optional<ClosedFormScale>& scale, ThreadPool* pool) {
  const Covariance covariance(ToExpression(structure));
  const ClosedFormScale* used_scale = scale ? &*scale : nullptr;
  const bool all_rows = X.rows() <= kScoringRows;
  int evaluations = static_cast<int>(theta.cols());
  std::vector<Scored> scored;
  if (all_rows) {
    scored = Score(covariance, X, y, theta, used_scale, pool);
  } else {
    const std::vector<int> rows = SpreadRows(X, y, kScoringRows);
    scored = Score(covariance, SelectRows(X, rows), SelectRows(y, rows), theta, used_scale, pool);
  }
  for (const int k : Ranked(scored)) {
    if (all_rows) return {ScaledPosterior(structure, X, y, theta.col(k), scored[k]), evaluations};
    Scored& full = scored[k];
    full.workspace.covariance.pool = pool;
    full.value = NegativeLogMarginalLikelihood(covariance, X, y, theta.col(k), nullptr, full.workspace, used_scale);
    ++evaluations;
    if (full.value.ok) return {ScaledPosterior(structure, X, y, theta.col(k), full), evaluations};
  }
  throw Error(ErrorCode::kNumerical, "none of the network's " + std::to_string(theta.cols()) +
                                         " hypotheses could be factorised on " + std::to_string(X.rows()) +
                                         " rows. Look for duplicate rows or extreme values, or fit with --method map.");
}

}  // namespace instantgp

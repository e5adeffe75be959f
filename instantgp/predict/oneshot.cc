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

// Evaluates the given hypotheses on (X, y) and returns those that could be, best first; of equals the earlier one.
std::vector<int> RunHeat(const Covariance& covariance, const Matrix& X, const Vector& y, const Matrix& theta,
                         const ClosedFormScale* scale, const std::vector<int>& hypotheses, ThreadPool* pool,
                         std::vector<Scored>& scored) {
  const auto evaluate = [&](int i, int) {
    Scored& own = scored[hypotheses[i]];
    own.value =
        NegativeLogMarginalLikelihood(covariance, X, y, theta.col(hypotheses[i]), nullptr, own.workspace, scale);
  };
  const int count = static_cast<int>(hypotheses.size());
  if (pool != nullptr && count > 1) {
    pool->Run(count, evaluate);
  } else {
    // Alone, a hypothesis may use the threads itself.
    for (const int k : hypotheses) scored[k].workspace.covariance.pool = pool;
    for (int i = 0; i < count; ++i) evaluate(i, 0);
  }
  std::vector<int> order = hypotheses;
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
  const int n = static_cast<int>(X.rows());
  std::vector<Scored> scored(theta.cols());
  std::vector<int> order(theta.cols());
  std::iota(order.begin(), order.end(), 0);
  int evaluations = 0;
  const auto heat = [&](int rows, const std::vector<int>& hypotheses) {
    evaluations += static_cast<int>(hypotheses.size());
    if (rows >= n) return RunHeat(covariance, X, y, theta, used_scale, hypotheses, pool, scored);
    const std::vector<int> chosen = SpreadRows(X, y, rows);
    return RunHeat(covariance, SelectRows(X, chosen), SelectRows(y, chosen), theta, used_scale, hypotheses, pool,
                   scored);
  };
  struct Heat {
    int rows;
    std::size_t field;  // the best so many take part
  };
  const Heat heats[] = {{kFirstHeatRows, order.size()}, {kSecondHeatRows, 2}, {n, 1}};
  for (const auto& [rows, field] : heats) {
    // Those that stay behind follow in their old order, should all who run fail.
    std::vector<int> behind(order.begin() + static_cast<std::ptrdiff_t>(std::min(field, order.size())), order.end());
    order.resize(std::min(field, order.size()));
    order = heat(rows, order);
    for (; order.empty() && !behind.empty(); behind.erase(behind.begin())) order = heat(rows, {behind.front()});
    if (order.empty()) break;
    if (rows >= n) return {ScaledPosterior(structure, X, y, theta.col(order[0]), scored[order[0]]), evaluations};
    order.insert(order.end(), behind.begin(), behind.end());
  }
  throw Error(ErrorCode::kNumerical, "none of the network's " + std::to_string(theta.cols()) +
                                         " hypotheses could be factorised on " + std::to_string(n) +
                                         " rows. Look for duplicate rows or extreme values, or fit with --method map.");
}

}  // namespace instantgp

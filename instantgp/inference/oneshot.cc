#include "instantgp/inference/oneshot.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "instantgp/base/error.h"
#include "instantgp/base/stopwatch.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/cholesky.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/inference/gradient_step.h"
#include "instantgp/inference/hypotheses_from_data.h"
#include "instantgp/inference/ranking.h"
#include "instantgp/inference/row_sample.h"
#include "instantgp/inference/spread.h"
#include "instantgp/inference/type2_ml.h"
#include "instantgp/inference/type2_objective.h"
#include "instantgp/network/config.h"
#include "instantgp/optimize/second_order.h"

namespace instantgp {
namespace {

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

struct Chosen {
  NlmlPoint point;  // evaluated on all rows
  int evaluations = 0;
  bool stepped = false;
};

// Where a start ends after its steps on the rows; nullopt where it cannot be evaluated.
std::optional<LogParameters> StepsFrom(const Covariance& covariance, const ParameterTable& table, const RowSample& rows,
                                       const LogParameters& start, int steps, ThreadPool* pool, double pull) {
  Type2Objective objective(covariance, table, rows.X, rows.y, false, pool);
  if (pull > 0) objective.PullTowards(start, pull);
  const OptimizeSummary end = MinimizeSecondOrder(objective, start, {.reach = objective.StepReach(), .max_steps = steps});
  if (end.x.size() == 0) return std::nullopt;
  return end.x;
}

Chosen Choose(const Structure& structure, const Matrix& X, const Vector& y, const Matrix& hypotheses,
              const ClosedFormScale* scale, const std::optional<Effort>& effort, ThreadPool* pool) {
  const Covariance covariance(ToExpression(structure));
  const ParameterTable table(covariance.expression());
  const int n = static_cast<int>(X.rows());
  const RowSample ranking_rows = SpreadSample(X, y, kRankingRows);
  std::vector<NlmlPoint> candidates =
      effort && effort->spread ? RankLadders(covariance, ranking_rows, Spread(structure, hypotheses), scale, pool)
                               : RankHypotheses(covariance, ranking_rows, hypotheses, scale, pool);
  Chosen chosen;
  chosen.evaluations = static_cast<int>(hypotheses.cols());
  bool on_all_rows = ranking_rows.y.size() == n;
  bool stepped = false;
  if (effort && n >= kFewestRowsToStep && !candidates.empty()) {
    const RowSample rows = SpreadSample(X, y, effort->step_rows);
    std::vector<LogParameters> starts = {
        ScaleKernelAndNoise(structure, candidates[0].theta, candidates[0].value.log_scale)};
    if (effort->standard_start) {
      starts.push_back(StandardStart(covariance.expression()) +
                       std::log(y.squaredNorm() / n) * ScaleDirection(covariance.expression()));
    }
    std::vector<NlmlPoint> ends(starts.size() + 1);
    RunOn(pool, static_cast<int>(starts.size()), [&](int k, int) {
      const std::optional<LogParameters> end = StepsFrom(covariance, table, rows, starts[k], effort->steps, nullptr, effort->pull);
      if (!end) return;
      ends[k].theta = *end;
      Evaluate(covariance, X, y, scale, ends[k]);
    });
    ends.back().theta = starts[0];
    Evaluate(covariance, X, y, scale, ends.back());
    std::erase_if(ends, [](const NlmlPoint& c) { return !c.value.ok; });
    std::stable_sort(ends.begin(), ends.end(),
                     [](const NlmlPoint& a, const NlmlPoint& b) { return a.value.nlml < b.value.nlml; });
    if (!ends.empty()) {
      NlmlPoint best = std::move(ends.front());
      if (n > effort->step_rows && effort->full_steps > 0) {
        const LogParameters from = ScaleKernelAndNoise(structure, best.theta, best.value.log_scale);
        const std::optional<LogParameters> end = StepsFrom(covariance, table, {X, y}, from, effort->full_steps, pool, effort->pull);
        if (end) {
          best.theta = *end;
          Evaluate(covariance, X, y, scale, best);
        }
      }
      if (best.value.ok) {
        const NoiseFloor floor(covariance.expression(), X, y);
        chosen.evaluations += RaiseNoise(floor, y, scale, best);
      }
      on_all_rows = best.value.ok;
      stepped = true;
      if (best.value.ok) candidates.insert(candidates.begin(), std::move(best));
    }
  } else if (!candidates.empty()) {
    const NoiseFloor floor(covariance.expression(), ranking_rows.X, ranking_rows.y);
    chosen.evaluations += RaiseNoise(floor, ranking_rows.y, scale, candidates.front());
  }
  // The best one's turn first; the others follow should it have no factor on all rows.
  for (NlmlPoint& candidate : candidates) {
    const bool first = &candidate == &candidates.front();
    if (!on_all_rows || !first) {
      candidate.workspace.covariance.pool = pool;
      candidate.value =
          NegativeLogMarginalLikelihood(covariance, X, y, candidate.theta, nullptr, candidate.workspace, scale);
      ++chosen.evaluations;
    }
    if (!candidate.value.ok) continue;
    chosen.point = std::move(candidate);
    chosen.stepped = stepped && first;
    return chosen;
  }
  throw Error(ErrorCode::kNumerical,
              "none of the network's " + std::to_string(hypotheses.cols()) + " hypotheses could be factorised on " +
                  std::to_string(n) + " rows. Look for duplicate rows or extreme values, or fit by the method map.",
              {{"method", "map"}});
}

}  // namespace

OneShot InferOneShot(const TrainedNetwork& network, const Encoding& encoding, const Structure& structure,
                     const OneShotOptions& options) {
  const bool bare = options.bare || network.config().family == NetworkFamily::kAhgp;
  Stopwatch clock;
  Matrix hypotheses = options.decoded != nullptr ? *options.decoded : network.Decode(encoding, structure, options.pool);
  const double decode_ms = clock.Milliseconds();
  clock = Stopwatch();
  const Matrix& X = encoding.X;
  const Vector& y = encoding.y;
  if (!bare) hypotheses = WithHypothesesFromData(structure, X, y, hypotheses);
  const std::optional<ClosedFormScale> scale = ScaleOf(network.config());
  Chosen chosen = Choose(structure, X, y, hypotheses, scale ? &*scale : nullptr,
                         bare ? std::nullopt : std::optional(options.effort.value_or(Effort())), options.pool);
  Posterior posterior = ScaledPosterior(structure, X, y, chosen.point);
  return {std::move(posterior), std::move(hypotheses), scale, chosen.evaluations, chosen.stepped, decode_ms,
          clock.Milliseconds()};
}

}  // namespace instantgp

#include "instantgp/inference/oneshot.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "instantgp/base/error.h"
#include "instantgp/base/stopwatch.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/cholesky.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/inference/descent.h"
#include "instantgp/inference/hypotheses_from_data.h"
#include "instantgp/inference/noise_floor.h"
#include "instantgp/inference/parameter_draws.h"
#include "instantgp/inference/ranking.h"
#include "instantgp/inference/refine.h"
#include "instantgp/inference/relevant_columns.h"
#include "instantgp/inference/row_sample.h"
#include "instantgp/inference/spread.h"
#include "instantgp/kernel/fixed.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/network/config.h"

namespace instantgp {
namespace {

// Along one column with periods. Of 200 draws of PER, PER + LIN and PER + SE the period was found in 162 from one
// start, 169 from two or three, 174 from five or eight; ten starts of type-2 ML find 120.
constexpr std::size_t kPeriodStarts = 5;
constexpr double kSamePeriod = 0.05;  // of log periods: as an optimiser would end at the same one. Not measured

// A' = c A has the factor sqrt(c) L and alpha / c.
Posterior ScaledPosterior(const Structure& structure, const Expression& expression, const Matrix& X, const Vector& y,
                          NlmlPoint& of, double log_scale) {
  Matrix& L = of.workspace.A;
  Vector& alpha = of.workspace.alpha;
  SolveLowerTransposed(L, alpha);
  const double scale = std::exp(log_scale), root = std::exp(0.5 * log_scale);
  for (Index j = 0; j < L.cols(); ++j) {
    L.col(j).head(j).setZero();
    L.col(j).tail(L.rows() - j) *= root;
  }
  alpha /= scale;
  return Posterior(expression, X, y, ScaleKernelAndNoise(structure, of.theta, log_scale), std::move(L),
                   std::move(alpha), of.value.jitter * scale);
}

struct Chosen {
  NlmlPoint point;  // evaluated on all rows
  int evaluations = 0;
  bool stepped = false;
  Matrix curvature;  // Descent's
  Pull pull;
  StepMatrix<float> reading;
  LogParameters other;
};

// The hypotheses, best first, on some of the rows.
std::vector<NlmlPoint> Rank(const Structure& structure, const Covariance& covariance, const RowSample& rows,
                            const Matrix& hypotheses, const ClosedFormScale* scale, bool spread, const FixedRows& fixed,
                            double least_noise, ThreadPool* pool, int* evaluations) {
  if (!spread) {
    *evaluations += static_cast<int>(hypotheses.cols());
    return RankHypotheses(covariance, rows, hypotheses, scale, pool);
  }
  std::vector<NoiseLadder> ladders = Spread(structure, hypotheses);
  for (NoiseLadder& ladder : ladders) ladder.theta = fixed.Held(ladder.theta);
  // Few rows hide a period, and along one column what is short beside their distance: the airline's season is gone on
  // 40 of its months.
  const bool hidden = structure.dimensions() == 1 ||
                      !ParameterTable(covariance.expression()).Rows(ParameterKind::kPeriod, {Elementary::kPER}).empty();
  if (!hidden) {
    ladders = Heat(covariance, rows, std::move(ladders), scale, least_noise, pool);
  }
  for (const NoiseLadder& ladder : ladders) *evaluations += static_cast<int>(ladder.log_noises.size());
  return RankLadders(covariance, rows, ladders, scale, least_noise, pool);
}

// The best candidate and, as the likelihood has an optimum for nearly every period, the best with periods of their own.
// A start below the least noise would be pulled to where the wall does not let it.
std::vector<LogParameters> StartsAmong(const std::vector<NlmlPoint>& candidates, const Structure& structure,
                                       double least_noise) {
  const ParameterTable table(ToExpression(structure));
  const std::vector<Index> periods = table.Rows(ParameterKind::kPeriod, {Elementary::kPER});
  const int d = structure.dimensions();
  const std::size_t most = periods.empty() || d > kMostColumnsWithWaves ? 1 : d == 1 ? kPeriodStarts : 2;
  std::vector<LogParameters> starts;
  for (const NlmlPoint& candidate : candidates) {
    if (starts.size() == most) break;
    const bool known = std::any_of(starts.begin(), starts.end(), [&](const LogParameters& start) {
      return std::all_of(periods.begin(), periods.end(),
                         [&](Index row) { return std::abs(start[row] - candidate.theta[row]) < kSamePeriod; });
    });
    if (known) continue;
    starts.push_back(
        WithNoiseAtLeast(ScaleKernelAndNoise(structure, candidate.theta, candidate.value.log_scale), least_noise));
  }
  return starts;
}

Chosen Choose(const Structure& structure, const Matrix& X, const Vector& y, const Matrix& hypotheses,
              const ClosedFormScale* scale, bool with_spread, const OneShotOptions& options, bool bare,
              const FixedRows& fixed, const StepWeights* steps) {
  ThreadPool* const pool = options.pool;
  const Covariance covariance(ToExpression(structure));
  const int n = static_cast<int>(X.rows());
  const NoiseFloor floor(covariance.expression(), X, y);
  Chosen chosen;
  std::vector<NlmlPoint> candidates = Rank(structure, covariance, SpreadSample(X, y, kRankingRows), hypotheses, scale,
                                           with_spread, fixed, floor.least(), pool, &chosen.evaluations);
  std::vector<LogParameters> starts;
  if (!bare && !candidates.empty()) starts = StartsAmong(candidates, structure, floor.least());
  if (!with_spread && !starts.empty()) starts.resize(1);
  const bool as_it_is = options.leave_steps && starts.size() == 1 && n <= kMostRowsWithoutOneShotSteps;
  if (!starts.empty() && !as_it_is) {
    Descent descent = Descend(covariance, X, y, starts, scale, fixed, steps, !options.leave_steps, pool);
    chosen.evaluations += descent.evaluations;
    chosen.point = std::move(descent.end);
    chosen.stepped = descent.moved;
    chosen.curvature = std::move(descent.curvature);
    chosen.pull = std::move(descent.pull);
    chosen.reading = std::move(descent.reading);
    chosen.other = std::move(descent.other);
  }
  // As decoded; or where steps found nothing that has a factor on all rows. The best one's turn first.
  for (std::size_t k = 0; k < candidates.size() && !chosen.point.value.ok; ++k) {
    candidates[k].workspace.covariance.pool = pool;
    Evaluate(covariance, X, y, scale, candidates[k]);
    ++chosen.evaluations;
    chosen.point = std::move(candidates[k]);
    chosen.stepped = false;
  }
  if (!chosen.point.value.ok) {
    throw Error(ErrorCode::kNumerical,
                "none of the network's " + std::to_string(hypotheses.cols()) + " hypotheses could be factorised on " +
                    std::to_string(n) + " rows. Look for duplicate rows or extreme values, or fit by the method map.",
                {{"method", "map"}});
  }
  chosen.evaluations += RaiseNoise(floor, covariance, X, y, scale, chosen.point);
  return chosen;
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
  const bool near = options.near != nullptr && options.near->size() == hypotheses.rows() && !bare;
  if (near) {
    hypotheses.conservativeResize(Eigen::NoChange, hypotheses.cols() + 1);
    hypotheses.rightCols(1) = *options.near;
  } else if (!bare) {
    hypotheses = WithHypothesesFromData(structure, X, y, hypotheses, options.waves, options.pool);
    hypotheses = WithGuessedColumns(structure, X, y, hypotheses);
  }
  FixedRows fixed;
  if (options.kernel != nullptr) fixed = FixedRowsOf(*options.kernel, encoding.scaler.x_range, encoding.scaler.y_std);
  for (Index k = 0; k < hypotheses.cols(); ++k) hypotheses.col(k) = fixed.Held(hypotheses.col(k));
  const std::optional<ClosedFormScale> scale = ScaleOf(network.config());
  const StepWeights* steps = options.steps != nullptr ? options.steps : &network.steps();
  Chosen chosen =
      Choose(structure, X, y, hypotheses, scale ? &*scale : nullptr, !bare && !near, options, bare, fixed, steps);
  const double n = static_cast<double>(X.rows());
  const bool averaged = options.draws > 0 && !bare && n <= kMostRowsToAverage;
  double log_scale = chosen.point.value.log_scale;
  // Where predictions are averaged, the draws have it.
  if (n > kMostRowsToAverage && chosen.curvature.size() > 0) log_scale += LogOptimism(n * chosen.curvature, n);
  const Expression expression = options.kernel != nullptr ? *options.kernel : ToExpression(structure);
  Posterior posterior = ScaledPosterior(structure, expression, X, y, chosen.point, log_scale);
  Matrix draws;
  if (averaged) {
    draws = DrawParameters(
        Covariance(posterior.expression()), X, y, posterior.theta(),
        chosen.pull.precision.size() > 0 ? chosen.pull.precision : Vector(Vector::Ones(posterior.theta().size())),
        options.draws);
    for (Index k = 0; k < draws.cols(); ++k) draws.col(k) = fixed.Held(draws.col(k));
  }
  return {.posterior = std::move(posterior),
          .evaluations = chosen.evaluations,
          .stepped = chosen.stepped,
          .draws = std::move(draws),
          .pull = std::move(chosen.pull),
          .reading = std::move(chosen.reading),
          .curvature = std::move(chosen.curvature),
          .other = std::move(chosen.other),
          .decode_ms = decode_ms,
          .factorize_ms = clock.Milliseconds()};
}

}  // namespace instantgp

#include "instantgp/inference/descent.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "instantgp/gp/cholesky.h"
#include "instantgp/inference/fine_columns.h"
#include "instantgp/inference/interactions.h"
#include "instantgp/inference/linear_guess.h"
#include "instantgp/inference/noise_floor.h"
#include "instantgp/inference/rough_map.h"
#include "instantgp/inference/row_sample.h"
#include "instantgp/inference/type2_ml.h"
#include "instantgp/inference/type2_objective.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/optimize/second_order.h"

namespace instantgp {
namespace {

// In nats of all rows together: two steps in a row that gain less, or the promise of a tenth of it, end a descent. On
// the tables below, RMSE over that of type-2 ML: with five steps on 160 rows 0.967 for 0.1, 0.966 for 1, 1.04 for 5,
// which leaves a table of 32 columns half way (2.4). With four on 200, 1 cost that table more: 1.18 instead of 1.08.
constexpr double kWorthOfAStep = 0.5;

// Steps beyond the plan's, while one still gains `worth` nats per row. Where there is hardly any noise, or the
// likelihood is a long valley, a few steps end half way. On 93 public tables of 20 to 500 rows with SE, RMSE over that
// of type-2 ML (RMSE below 0.01 taken as 0.01), geometric mean and tables above 1.25: 1.044 and 6 without any, 1.018
// and 3 with these, for a tenth more time in all; 1.026 and 4 with up to 12 and 8 steps worth 0.02 and 0.01, 1.037 and
// 6 if worth 0.05 and 0.03.
struct FurtherSteps {
  int most;
  double worth;
};
constexpr FurtherSteps kOnAPart = {20, 0.02}, kOnAllRows = {12, 0.005};

// Guesses (docs/method.md, step 7) must leave less than this share of the noise of the end so far. Not varied.
constexpr double kMuchLess = 0.7;
constexpr int kMostRowsToGuess = 1024;  // each costs a few factorisations of all rows
constexpr int kStepsFromAGuess = 3;     // on all rows

// The standard start of type-2 ML, for targets of any scale.
LogParameters StandardStartFor(const Expression& expression, const Vector& y) {
  const double mean_square = y.squaredNorm() / static_cast<double>(y.size());
  LogParameters start = StandardStart(expression);
  if (mean_square > 0) start += std::log(mean_square) * ScaleDirection(expression);
  return start;
}

struct End {
  NlmlPoint point;   // on the rows of the run, or on all of them
  double value = 0;  // the likelihood and the pull, on all rows
  int evaluations = 0;
  bool moved = false;
  bool at_best_scale = true;
  Matrix curvature;  // per point, near the end; empty: none was made
  Pull pull;
  StepMatrix<float> reading;
};

// What all descents of one fit share.
struct Ground {
  const Covariance& covariance;
  const ParameterTable& table;
  const ClosedFormScale* scale;
  const FixedRows& fixed;
  LogParameters scale_direction;
  double least_noise;  // noise_floor.h, of all rows
  int n;               // all rows
  int columns;         // of the kernel
};

// At the best scale, or as it stands where that would take the noise through its wall: an end must not count for noise
// that it will not be left.
void EvaluateWithNoiseAllowed(const Ground& ground, const Matrix& X, const Vector& y, End& end) {
  NlmlPoint& point = end.point;
  Evaluate(ground.covariance, X, y, ground.scale, point);
  ++end.evaluations;
  end.at_best_scale = true;
  if (!point.value.ok || ground.scale == nullptr || point.theta.noise() + point.value.log_scale >= ground.least_noise)
    return;
  point.theta.noise() = std::max(point.theta.noise(), ground.least_noise);
  Evaluate(ground.covariance, X, y, nullptr, point);
  ++end.evaluations;
  end.at_best_scale = false;
}

// The pull for steps from theta, which moves to its best scale; by the step network where there is one.
void SetPull(const Ground& ground, const Vector& y, const StepWeights* network, bool standard,
             Type2Objective& objective, End& end) {
  LogParameters& theta = end.point.theta;
  end.pull = PullToStart(theta, ground.n);
  if (network != nullptr && !network->values.empty() && ground.n <= kMostRowsOfLearnedPull) {
    StepStart start{
        .table = ground.table, .theta = theta, .scale = ground.scale_direction, .gradient = {}, .curvature = {}};
    if (objective.LookAt(start.theta, &start.nlml, &start.gradient, &start.curvature)) {
      start.mean_square = std::max(y.squaredNorm() / static_cast<double>(y.size()), 1e-300);
      start.rows = static_cast<int>(y.size());
      start.columns = ground.columns;
      start.standard = standard;
      end.reading = ReadStart(start);
      StepTrace<float> trace;
      const StepMatrix<float> answers = StepForward(network->hidden, network->values.data(), end.reading, trace);
      theta = start.theta;
      end.pull = PullOfAnswers(theta, answers, ground.n);
      end.pull.centre = ground.fixed.Held(end.pull.centre);
    }
  }
  objective.PullTowards(end.pull);
}

// Steps on some rows from end.point, which brings its factor along where it has one, under end.pull.
void Step(const Ground& ground, const Matrix& X, const Vector& y, Type2Objective& objective, int steps,
          ThreadPool* pool, const FurtherSteps& further, End& end) {
  SecondOrderOptions options{.reach = objective.StepReach(), .max_steps = further.most, .sure_steps = steps};
  options.worth = kWorthOfAStep / static_cast<double>(y.size());
  options.worth_of_more = further.worth;
  const OptimizeSummary summary = MinimizeSecondOrder(objective, end.point.theta, options);
  end.evaluations += summary.evaluations;
  end.moved = end.moved || summary.steps > 0;
  if (summary.curvature.size() > 0) end.curvature = summary.curvature;
  end.point.value = {};
  if (summary.x.size() == 0) return;
  end.value = summary.value;
  if (std::optional<NlmlPoint> point = objective.TakePoint(summary.x)) {
    end.point = *std::move(point);
  } else {
    end.point.theta = summary.x;
    end.point.workspace.covariance.pool = pool;
    EvaluateWithNoiseAllowed(ground, X, y, end);
  }
}

// What simple looks at the rows explain and the end so far takes for noise (fine_columns.h, linear_guess.h,
// interactions.h): the best of that on all rows, where it is better.
bool TryGuesses(const Ground& ground, const Matrix& X, const Vector& y, ThreadPool* pool, End& end) {
  if (!end.point.value.ok || ground.n > kMostRowsToGuess) return false;
  const LogParameters answer = end.point.theta + end.point.value.log_scale * ground.scale_direction;
  const double variance = (y.array() - y.mean()).square().mean();
  // Noise may also be called a function so rough that no two rows share it; the likelihood tells both. An independent
  // normal target of variance v has an NLML of log(2 pi e v) / 2 per row.
  const double unexplained = std::exp(2 * end.point.value.nlml - 1) / (2 * std::numbers::pi);
  const double share = kMuchLess * std::min(1.0, std::max(std::exp(answer.noise()), unexplained) / variance);
  std::vector<NoiseLadder> ladders = FineLadders(ground.covariance, X, y, answer, share);
  std::ranges::move(RoughLadders(ground.covariance, X, y, answer, share), std::back_inserter(ladders));
  std::ranges::move(LinearLadders(ground.covariance, X, y, answer, share), std::back_inserter(ladders));
  Vector alpha = end.point.workspace.alpha;
  SolveLowerTransposed(end.point.workspace.A, alpha);
  std::ranges::move(InteractionLadders(ground.covariance, X, alpha, answer), std::back_inserter(ladders));
  if (ladders.empty()) return false;
  for (NoiseLadder& ladder : ladders) {
    ladder.theta = ground.fixed.Held(ladder.theta);
    for (double& rung : ladder.log_noises) rung = std::max(rung, ground.least_noise);
  }
  // Their variances are meant as they are.
  std::vector<NlmlPoint> ranked = RankLadders(ground.covariance, {X, y}, ladders, nullptr, ground.least_noise, pool);
  for (const NoiseLadder& ladder : ladders) end.evaluations += static_cast<int>(ladder.log_noises.size());
  if (ranked.empty() || !(ranked.front().value.nlml < end.value)) return false;
  end.point = std::move(ranked.front());
  end.value = end.point.value.nlml;
  end.moved = true;
  end.at_best_scale = false;
  end.curvature = {};
  end.pull = PullToStart(end.point.theta, ground.n);
  return true;
}

}  // namespace

// Measured on eleven tables of 50 to 500 rows and 4 to 33 columns with SE on every column, held-out rows decide: RMSE
// over that of type-2 ML, geometric mean and worst: 0.96 and 1.05 with six steps on 200 rows, 0.965 and 1.08 with five
// on 160 (in 0.85 of the time) and with four on 200, and two on all rows each; 0.98 and 1.3 with one on all rows. 256
// rows from sixteen columns on take the worst, of 32 columns, from 1.13 to 1.09 (other splits), for half more time
// there. With SE + LIN + PER on 126 public tables of 210 to 500 rows RMSE over that of type-2 ML and NLL above
// its: 1.07 and 0.13 without steps on all rows; 1.02 and 0.04 with one, and more while each is worth 0.02; 1.015 and
// 0.04 for 0.005. On simulated tables, (500, 8): 18, 34 and 50 ms. (With another network than today's.) Where the start
// as it is beats the ends of steps on a part, dear steps on all rows are left out: 34 instead of 42 ms, 0.988 and 0.019
// instead of 0.987 and 0.020.
DescentPlan PlanFor(const Covariance& covariance, int n, int columns) {
  const bool one_leaf_per_column = NumLeaves(covariance.expression()) <= columns;
  return one_leaf_per_column ? DescentPlan{columns >= 16 ? 256 : 160, 5, 2, kOnAllRows.worth}
                             : DescentPlan{n <= 200 ? 200 : 128, 4, 1, 0.02};
}

Descent Descend(const Covariance& covariance, const Matrix& X, const Vector& y, std::span<const LogParameters> starts,
                const ClosedFormScale* scale, const FixedRows& fixed, const StepWeights* steps, bool to_the_end,
                ThreadPool* pool) {
  const Expression& expression = covariance.expression();
  const ParameterTable table(expression);
  const int n = static_cast<int>(X.rows()), columns = static_cast<int>(ColumnsOf(expression).size());
  const DescentPlan plan = PlanFor(covariance, n, columns);
  const RowSample rows = SpreadSample(X, y, plan.rows);
  const Ground ground{
      covariance, table, scale, fixed, ScaleDirection(expression), NoiseFloor(expression, X, y).least(), n, columns};
  const LogParameters unit = ground.scale_direction.normalized();
  const auto value_of = [&](const End& end) {
    Vector way = end.point.theta - end.pull.centre;
    way -= unit.dot(way) * unit;
    return end.point.value.nlml + PullNats(end.pull, way) / n;
  };

  // From all starts and the standard one; where the steps see a part of the rows only, the first start as it is stands
  // beside their ends, under the pull that its steps have.
  const bool part = n > plan.rows;
  const int count = static_cast<int>(starts.size()), standard = count;
  std::vector<End> ends(starts.size() + 1);
  End as_it_is;
  RunOn(pool, static_cast<int>(ends.size()), [&](int k, int) {
    End& end = ends[static_cast<std::size_t>(k)];
    end.point.theta = k == standard ? fixed.Held(StandardStartFor(expression, y)) : starts[static_cast<std::size_t>(k)];
    Type2Objective objective(covariance, table, rows.X, rows.y, false, nullptr);
    objective.Hold(fixed, true);
    SetPull(ground, rows.y, steps, k == standard, objective, end);
    if (part && k == 0) {
      as_it_is.point.theta = starts.front();
      as_it_is.pull = end.pull;
    }
    Step(ground, rows.X, rows.y, objective, plan.steps, nullptr, part ? kOnAPart : kOnAllRows, end);
    if (!part) return;
    end.point.theta += end.point.value.log_scale * ground.scale_direction;
    EvaluateWithNoiseAllowed(ground, X, y, end);
    if (end.point.value.ok) end.value = value_of(end);
  });
  if (part) {
    as_it_is.point.workspace.covariance.pool = pool;
    EvaluateWithNoiseAllowed(ground, X, y, as_it_is);
    if (as_it_is.point.value.ok) as_it_is.value = value_of(as_it_is);
    ends.push_back(std::move(as_it_is));
  }
  Descent descent;
  for (const End& end : ends) descent.evaluations += end.evaluations;
  const auto better = [](const End& a, const End& b) {
    return a.point.value.ok && (!b.point.value.ok || a.value < b.value);
  };
  const auto best = std::min_element(ends.begin(), ends.end(), better);
  End& end = *best;
  const End* other = nullptr;
  for (const End& candidate : ends) {
    if (&candidate == &end || !candidate.moved || !candidate.point.value.ok) continue;
    if (other == nullptr || better(candidate, *other)) other = &candidate;
  }
  if (other != nullptr) descent.other = other->point.theta + other->point.value.log_scale * ground.scale_direction;
  const bool steps_helped = best - ends.begin() <= standard;
  end.moved = end.moved || (best != ends.begin() && steps_helped);
  const int before = end.evaluations;
  const bool guessed = TryGuesses(ground, X, y, pool, end);
  if (end.point.value.ok && ((part && to_the_end && (steps_helped || plan.steps_on_all_rows > 1)) || guessed)) {
    Type2Objective objective(covariance, table, X, y, false, pool);
    objective.Hold(fixed, true);
    objective.PullTowards(end.pull);
    NlmlPoint start = std::move(end.point);
    end.point = {.theta = start.theta};
    if (end.at_best_scale) objective.StartFrom(std::move(start));
    Step(ground, X, y, objective, guessed ? kStepsFromAGuess : plan.steps_on_all_rows, pool,
         {kOnAllRows.most, plan.worth}, end);
  }
  descent.evaluations += end.evaluations - before;
  descent.end = std::move(end.point);
  descent.moved = end.moved;
  descent.curvature = std::move(end.curvature);
  descent.pull = std::move(end.pull);
  descent.reading = std::move(end.reading);
  return descent;
}

}  // namespace instantgp

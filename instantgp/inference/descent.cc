#include "instantgp/inference/descent.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "instantgp/inference/row_sample.h"
#include "instantgp/inference/type2_ml.h"
#include "instantgp/inference/type2_objective.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/optimize/second_order.h"

namespace instantgp {
namespace {

// The standard start of type-2 ML, for targets of any scale.
LogParameters StandardStartFor(const Expression& expression, const Vector& y) {
  const double mean_square = y.squaredNorm() / static_cast<double>(y.size());
  LogParameters start = StandardStart(expression);
  if (mean_square > 0) start += std::log(mean_square) * ScaleDirection(expression);
  return start;
}

OptimizeSummary Steps(const Covariance& covariance, const ParameterTable& table, const RowSample& rows,
                      const LogParameters& start, const LogParameters& centre, double pull_std, int steps,
                      const FixedRows& fixed, ThreadPool* pool) {
  Type2Objective objective(covariance, table, rows.X, rows.y, false, pool);
  objective.PullTowards(centre, pull_std);
  objective.Hold(fixed, true);
  return MinimizeSecondOrder(objective, start, {.reach = objective.StepReach(), .max_steps = steps});
}

struct End {
  NlmlPoint point;
  LogParameters centre;  // where it started
  double value = 0;      // the likelihood and the pull, on all rows
};

}  // namespace

// Measured on eleven tables of 50 to 500 rows and 4 to 33 columns with SE on every column, held-out rows decide: RMSE
// over that of type-2 ML, geometric mean over the four hardest, 1.65 with no step on all rows, 1.32 with one; over all,
// 0.96 with two and with three, 0.97 with ten steps on the part instead of six.
DescentPlan PlanFor(const Covariance& covariance, int n, int columns) {
  const bool one_leaf_per_column = NumLeaves(covariance.expression()) <= columns;
  return one_leaf_per_column ? DescentPlan{200, 6, 2} : DescentPlan{n <= 200 ? 200 : 128, 4, 0};
}

double PullStd(int n) { return std::max(1.0, std::pow(n / 250.0, 2)); }

Descent Descend(const Covariance& covariance, const Matrix& X, const Vector& y, const LogParameters& start,
                const ClosedFormScale* scale, const FixedRows& fixed, ThreadPool* pool) {
  const Expression& expression = covariance.expression();
  const ParameterTable table(expression);
  const int n = static_cast<int>(X.rows());
  const DescentPlan plan = PlanFor(covariance, n, static_cast<int>(ColumnsOf(expression).size()));
  const RowSample rows = SpreadSample(X, y, plan.rows);
  const double pull_std = PullStd(n);
  const LogParameters unit = ScaleDirection(expression).normalized();
  const auto value_of = [&](const End& end) {
    const Vector way = end.point.theta - end.centre;
    const double squared = way.squaredNorm() - std::pow(unit.dot(way), 2);
    return end.point.value.nlml + 0.5 * squared / (n * pull_std * pull_std);
  };

  std::array<End, 3> ends;  // of both starts, and the first start itself
  std::array<int, 3> evaluations = {0, 0, 0};
  RunOn(pool, static_cast<int>(ends.size()), [&](int k, int) {
    End& end = ends[k];
    end.centre = k == 1 ? fixed.Held(StandardStartFor(expression, y)) : start;
    end.point.theta = end.centre;
    if (k < 2) {
      const OptimizeSummary summary =
          Steps(covariance, table, rows, end.centre, end.centre, pull_std, plan.steps, fixed, nullptr);
      evaluations[k] = summary.evaluations;
      if (summary.x.size() > 0) end.point.theta = summary.x;
    }
    Evaluate(covariance, X, y, scale, end.point);
    if (end.point.value.ok) end.value = value_of(end);
  });
  Descent descent;
  for (const int count : evaluations) descent.evaluations += count + 1;
  const auto best = std::min_element(ends.begin(), ends.end(), [](const End& a, const End& b) {
    return a.point.value.ok && (!b.point.value.ok || a.value < b.value);
  });
  descent.end = std::move(best->point);
  if (!descent.end.value.ok) return descent;
  descent.moved = descent.end.theta != start;
  if (n <= plan.rows || plan.steps_on_all_rows == 0) return descent;

  const LogParameters scaled = descent.end.theta + descent.end.value.log_scale * ScaleDirection(expression);
  const OptimizeSummary last =
      Steps(covariance, table, {X, y}, scaled, best->centre, pull_std, plan.steps_on_all_rows, fixed, pool);
  descent.evaluations += last.evaluations + 1;
  if (last.steps == 0) return descent;
  NlmlPoint end;
  end.theta = last.x;
  end.workspace.covariance.pool = pool;
  Evaluate(covariance, X, y, scale, end);
  if (!end.value.ok) return descent;
  descent.end = std::move(end);
  descent.moved = true;
  return descent;
}

}  // namespace instantgp

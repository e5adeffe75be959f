#include "instantgp/inference/descent.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

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

// The standard start of type-2 ML, for targets of any scale.
LogParameters StandardStartFor(const Expression& expression, const Vector& y) {
  const double mean_square = y.squaredNorm() / static_cast<double>(y.size());
  LogParameters start = StandardStart(expression);
  if (mean_square > 0) start += std::log(mean_square) * ScaleDirection(expression);
  return start;
}

struct End {
  NlmlPoint point;       // on the rows of the run, or on all of them
  LogParameters centre;  // where it started
  double value = 0;      // the likelihood and the pull, on all rows
  int evaluations = 0;
  bool moved = false;
  Matrix curvature;  // per point, near the end; empty: none was made
};

// Steps on some rows from `start`, pulled towards `centre`. `start` brings its factor along where it has one.
End Step(const Covariance& covariance, const ParameterTable& table, const Matrix& X, const Vector& y, NlmlPoint start,
         const LogParameters& centre, double pull_std, int steps, const FixedRows& fixed, const ClosedFormScale* scale,
         ThreadPool* pool, const FurtherSteps& further) {
  Type2Objective objective(covariance, table, X, y, false, pool);
  objective.PullTowards(centre, pull_std);
  objective.Hold(fixed, true);
  End end;
  end.centre = centre;
  end.point.theta = start.theta;
  if (start.value.ok) objective.StartFrom(std::move(start));
  SecondOrderOptions options{.reach = objective.StepReach(), .max_steps = further.most, .sure_steps = steps};
  options.worth = kWorthOfAStep / static_cast<double>(y.size());
  options.worth_of_more = further.worth;
  const OptimizeSummary summary = MinimizeSecondOrder(objective, end.point.theta, options);
  end.evaluations = summary.evaluations;
  end.moved = summary.steps > 0;
  end.curvature = summary.curvature;
  if (summary.x.size() == 0) return end;
  end.value = summary.value;
  if (std::optional<NlmlPoint> point = objective.TakePoint(summary.x)) {
    end.point = *std::move(point);
  } else {
    end.point.theta = summary.x;
    end.point.workspace.covariance.pool = pool;
    Evaluate(covariance, X, y, scale, end.point);
    ++end.evaluations;
  }
  return end;
}

}  // namespace

// Measured on eleven tables of 50 to 500 rows and 4 to 33 columns with SE on every column, held-out rows decide: RMSE
// over that of type-2 ML, geometric mean and worst: 0.96 and 1.05 with six steps on 200 rows, 0.965 and 1.08 with five
// on 160 (in 0.85 of the time) and with four on 200, and two on all rows each; 0.98 and 1.3 with one on all rows.
DescentPlan PlanFor(const Covariance& covariance, int n, int columns) {
  const bool one_leaf_per_column = NumLeaves(covariance.expression()) <= columns;
  return one_leaf_per_column ? DescentPlan{160, 5, 2} : DescentPlan{n <= 200 ? 200 : 128, 4, 0};
}

double PullStd(int n) { return std::max(1.0, std::pow(n / 250.0, 2)); }

Descent Descend(const Covariance& covariance, const Matrix& X, const Vector& y, std::span<const LogParameters> starts,
                const ClosedFormScale* scale, const FixedRows& fixed, ThreadPool* pool) {
  const Expression& expression = covariance.expression();
  const ParameterTable table(expression);
  const int n = static_cast<int>(X.rows());
  const DescentPlan plan = PlanFor(covariance, n, static_cast<int>(ColumnsOf(expression).size()));
  const RowSample rows = SpreadSample(X, y, plan.rows);
  const double pull_std = PullStd(n);
  const LogParameters direction = ScaleDirection(expression), unit = direction.normalized();
  const auto value_of = [&](const End& end) {
    const Vector way = end.point.theta - end.centre;
    const double squared = way.squaredNorm() - std::pow(unit.dot(way), 2);
    return end.point.value.nlml + 0.5 * squared / (n * pull_std * pull_std);
  };

  // From all starts and the standard one; where the steps see a part of the rows only, the first start as it is stands
  // beside their ends.
  const bool part = n > plan.rows;
  const int count = static_cast<int>(starts.size()), standard = count, as_it_is = count + 1;
  std::vector<End> ends(starts.size() + (part ? 2 : 1));
  RunOn(pool, static_cast<int>(ends.size()), [&](int k, int) {
    End& end = ends[static_cast<std::size_t>(k)];
    const LogParameters centre = k == standard  ? fixed.Held(StandardStartFor(expression, y))
                                 : k < standard ? starts[static_cast<std::size_t>(k)]
                                                : starts.front();
    if (k != as_it_is) {
      end = Step(covariance, table, rows.X, rows.y, {.theta = centre}, centre, pull_std, plan.steps, fixed, scale,
                 nullptr, part ? kOnAPart : kOnAllRows);
      if (!part) return;
      end.point.theta += end.point.value.log_scale * direction;
    } else {
      end.centre = end.point.theta = centre;
    }
    Evaluate(covariance, X, y, scale, end.point);
    ++end.evaluations;
    if (end.point.value.ok) end.value = value_of(end);
  });
  Descent descent;
  for (const End& end : ends) descent.evaluations += end.evaluations;
  const auto best = std::min_element(ends.begin(), ends.end(), [](const End& a, const End& b) {
    return a.point.value.ok && (!b.point.value.ok || a.value < b.value);
  });
  descent.moved = best->moved || (best != ends.begin() && best != ends.begin() + as_it_is);
  descent.end = std::move(best->point);
  descent.curvature = std::move(best->curvature);
  if (!descent.end.value.ok || !part || plan.steps_on_all_rows == 0) return descent;

  End last = Step(covariance, table, X, y, std::move(descent.end), best->centre, pull_std, plan.steps_on_all_rows,
                  fixed, scale, pool, kOnAllRows);
  descent.evaluations += last.evaluations;
  descent.end = std::move(last.point);
  if (last.curvature.size() > 0) descent.curvature = std::move(last.curvature);
  descent.moved = descent.moved || last.moved;
  return descent;
}

}  // namespace instantgp

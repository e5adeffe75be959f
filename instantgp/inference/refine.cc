#include "instantgp/inference/refine.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "instantgp/base/thread_pool.h"
#include "instantgp/inference/row_sample.h"
#include "instantgp/kernel/parameters.h"

namespace instantgp {
namespace {

// Where hypothesis k (or, beyond them, the standard start) ends after its steps on the part; nullopt when it fails.
std::optional<Vector> Screen(const Structure& structure, const Expression& expression, const RowSample& part,
                             const Matrix& theta, int k, const std::optional<ClosedFormScale>& scale,
                             const Type2Options& options) {
  Vector start = k < theta.cols() ? Vector(theta.col(k)) : StandardStart(expression);
  if (scale && k < theta.cols()) {
    NlmlWorkspace workspace;
    const Covariance covariance(expression);
    const NlmlValue value =
        NegativeLogMarginalLikelihood(covariance, part.X, part.y, start, nullptr, workspace, &*scale);
    if (!value.ok) return std::nullopt;
    start = ScaleKernelAndNoise(structure, start, value.log_scale);
  }
  const Type2Result result = FitType2(expression, part.X, part.y, options, start);
  if (!result.ok) return std::nullopt;
  return result.theta;
}

// Whether optima far apart are to be expected: periods, or columns of which several addends could be the reason.
bool HasDistantOptima(const Expression& expression) {
  const ParameterTable table(expression);
  return NumLeaves(expression) > static_cast<int>(ColumnsOf(expression).size()) ||
         !table.Rows(ParameterKind::kPeriod, {Elementary::kPER}).empty();
}

Type2Result Polish(const Expression& expression, const Matrix& X, const Vector& y, const LogParameters& start,
                   Type2Options options, ThreadPool* pool) {
  options.optimizer = Optimizer::kSecondOrder;
  options.pool = pool;
  return FitType2(expression, X, y, options, start);
}

// From both starts, beside each other; the better end.
Type2Result PolishBoth(const Expression& expression, const Matrix& X, const Vector& y, const LogParameters& one_shot,
                       const LogParameters& other, const Type2Options& options) {
  std::array<Type2Result, 2> polished;
  RunOn(options.pool, 2,
        [&](int k, int) { polished[k] = Polish(expression, X, y, k == 0 ? one_shot : other, options, nullptr); });
  const int better = polished[1].ok && (!polished[0].ok || polished[1].value < polished[0].value) ? 1 : 0;
  Type2Result result = polished[better];
  result.evaluations = polished[0].evaluations + polished[1].evaluations;
  result.rejected = polished[0].rejected + polished[1].rejected;
  return result;
}

}  // namespace

Type2Result Refine(const Structure& structure, const Matrix& X, const Vector& y, const Matrix& theta,
                   const std::optional<ClosedFormScale>& scale, const LogParameters& one_shot,
                   const Type2Options& options) {
  const Expression expression = ToExpression(structure);
  if (!HasDistantOptima(expression)) {
    if (X.rows() > kMostRowsFromBothStarts) return Polish(expression, X, y, one_shot, options, options.pool);
    return PolishBoth(expression, X, y, one_shot, StandardStart(expression), options);
  }
  const RowSample part = SpreadSample(X, y, kScreeningRows);
  Type2Options screening = options;
  screening.optimizer = Optimizer::kSecondOrder;
  screening.max_steps = kScreeningSteps;
  screening.pool = nullptr;  // the screenings run beside each other

  struct End {
    LogParameters theta;
    std::optional<double> value;  // on all rows
  };
  std::vector<End> ends(theta.cols() + 1);
  RunOn(options.pool, static_cast<int>(ends.size()), [&](int k, int) {
    const std::optional<Vector> end = Screen(structure, expression, part, theta, k, scale, screening);
    if (!end || options.stop.stop_requested()) return;
    ends[k] = {*end, Type2Value(expression, X, y, options.map, *end)};
  });
  const End* best = nullptr;
  int evaluations = 0;
  for (const End& end : ends) {
    if (!end.value) continue;
    ++evaluations;
    if (best == nullptr || *end.value < *best->value) best = &end;
  }

  if (best == nullptr) return Polish(expression, X, y, one_shot, options, options.pool);
  Type2Result result = PolishBoth(expression, X, y, one_shot, best->theta, options);
  result.evaluations += evaluations;
  return result;
}

}  // namespace instantgp

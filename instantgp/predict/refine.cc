#include "instantgp/predict/refine.h"

#include <vector>

#include "instantgp/predict/subsample.h"

namespace instantgp {

ScoutedStart ScoutStarts(const Structure& structure, const Matrix& X, const Vector& y, const Matrix& theta,
                         const std::optional<ClosedFormScale>& scale, const Vector& one_shot,
                         const Type2Options& options, ThreadPool* pool) {
  const Expression expression = ToExpression(structure);
  const std::vector<int> rows = SpreadRows(X, y, kScoutRows);
  const Matrix some_X = SelectRows(X, rows);
  const Vector some_y = SelectRows(y, rows);
  Type2Options scout = options;
  scout.optimizer = Optimizer::kLbfgs;
  scout.max_steps = kScoutSteps;
  scout.threads = 1;

  struct End {
    Vector theta;
    std::optional<double> value;
    int evaluations = 0;
  };
  const int count = static_cast<int>(theta.cols());
  std::vector<End> ends(count + 1);
  ends[count].theta = one_shot;
  const auto run = [&](int k, int) {
    End& end = ends[k];
    if (k < count) {
      Vector start = theta.col(k);
      if (scale) {
        NlmlWorkspace workspace;
        const Covariance covariance(expression);
        const NlmlValue value =
            NegativeLogMarginalLikelihood(covariance, some_X, some_y, start, nullptr, workspace, &*scale);
        if (!value.ok) return;
        start = ScaleKernelAndNoise(structure, start, value.log_scale);
      }
      const Type2Result result = FitType2(expression, some_X, some_y, scout, start);
      end.evaluations = result.evaluations;
      if (!result.ok) return;
      end.theta = result.theta;
    }
    end.value = Type2Value(expression, X, y, options.map, end.theta);
    ++end.evaluations;
  };
  if (pool != nullptr) {
    pool->Run(count + 1, run);
  } else {
    for (int k = 0; k <= count; ++k) run(k, 0);
  }
  ScoutedStart best{one_shot, 0};
  std::optional<double> least = ends[count].value;
  for (const End& end : ends) {
    best.evaluations += end.evaluations;
    if (!end.value || (least && *end.value >= *least)) continue;
    least = end.value;
    best.theta = end.theta;
  }
  return best;
}

}  // namespace instantgp

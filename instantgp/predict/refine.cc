#include "instantgp/predict/refine.h"

#include <array>
#include <functional>
#include <vector>

#include "instantgp/predict/subsample.h"

namespace instantgp {
namespace {

void RunAll(ThreadPool* pool, int count, const std::function<void(int, int)>& body) {
  if (pool != nullptr) return pool->Run(count, body);
  for (int k = 0; k < count; ++k) body(k, 0);
}

struct Part {
  Matrix X;
  Vector y;
};

// Where hypothesis k (or, beyond them, the standard start) ends after its steps on the part; nullopt when it fails.
std::optional<Vector> Scout(const Structure& structure, const Expression& expression, const Part& part,
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

}  // namespace

Type2Result Refine(const Structure& structure, const Matrix& X, const Vector& y, const Matrix& theta,
                   const std::optional<ClosedFormScale>& scale, const Vector& one_shot, const Type2Options& options,
                   ThreadPool* pool) {
  const Expression expression = ToExpression(structure);
  const std::vector<int> rows = SpreadRows(X, y, kScoutRows);
  const Part part{SelectRows(X, rows), SelectRows(y, rows)};
  Type2Options scout = options;
  scout.max_steps = kScoutSteps;
  scout.threads = 1;

  struct End {
    Vector theta;
    std::optional<double> value;  // on all rows
  };
  std::vector<End> ends(theta.cols() + 1);
  RunAll(pool, static_cast<int>(ends.size()), [&](int k, int) {
    const std::optional<Vector> end = Scout(structure, expression, part, theta, k, scale, scout);
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

  std::array<Type2Result, 2> polished;
  RunAll(pool, best != nullptr ? 2 : 1, [&](int k, int) {
    const Vector& start = k == 0 ? one_shot : best->theta;
    Type2Options own = options;
    own.scaling = Type2Scaling(expression, part.X, part.y, options.map, start);
    if (pool != nullptr && best != nullptr) own.threads = 1;  // the two run beside each other
    polished[k] = FitType2(expression, X, y, own, start);
  });
  const bool second = polished[1].ok && (!polished[0].ok || polished[1].value < polished[0].value);
  Type2Result result = polished[second ? 1 : 0];
  result.evaluations = polished[0].evaluations + polished[1].evaluations + evaluations;
  result.rejected = polished[0].rejected + polished[1].rejected;
  return result;
}

}  // namespace instantgp

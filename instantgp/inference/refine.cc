#include "instantgp/inference/refine.h"

#include <array>

#include "instantgp/base/thread_pool.h"

namespace instantgp {

Type2Result Refine(const Expression& expression, const Matrix& X, const Vector& y, const LogParameters& one_shot,
                   const LogParameters& other, const Type2Options& options) {
  Type2Options own = options;
  own.optimizer = Optimizer::kSecondOrder;
  const bool both = X.rows() <= kMostRowsWithoutOneShotSteps || ColumnsOf(expression).size() >= kColumnsWithManyOptima;
  if (!both) return FitType2(expression, X, y, own, one_shot);
  own.pool = nullptr;  // the polishes run beside each other
  std::array<Type2Result, 2> polished;
  RunOn(options.pool, 2, [&](int k, int) {
    const LogParameters second = other.size() > 0 ? other : StandardStart(expression);
    polished[k] = FitType2(expression, X, y, own, k == 0 ? one_shot : second);
  });
  const int better = polished[1].ok && (!polished[0].ok || polished[1].value < polished[0].value) ? 1 : 0;
  Type2Result result = polished[better];
  result.evaluations = polished[0].evaluations + polished[1].evaluations;
  result.rejected = polished[0].rejected + polished[1].rejected;
  return result;
}

}  // namespace instantgp

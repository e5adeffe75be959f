#include "instantgp/inference/nlml_point.h"

namespace instantgp {

void Evaluate(const Covariance& covariance, const Matrix& X, const Vector& y, const ClosedFormScale* scale,
              NlmlPoint& point) {
  point.value = NegativeLogMarginalLikelihood(covariance, X, y, point.theta, nullptr, point.workspace, scale);
}

}  // namespace instantgp

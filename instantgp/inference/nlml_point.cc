#include "instantgp/inference/nlml_point.h"

namespace instantgp {

void Evaluate(const Covariance& covariance, const Matrix& X, const Vector& y, const ClosedFormScale* scale,
              NlmlPoint& point) {
  point.value = {};
  if (!point.theta.allFinite()) return;
  point.K.resize(X.rows(), X.rows());
  covariance.Gram(X, point.theta.data(), point.K, point.workspace.covariance);
  point.value = NlmlOfGram(point.K, y, point.theta.noise(), point.workspace, scale);
}

}  // namespace instantgp

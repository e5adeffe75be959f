#include "instantgp/inference/hypothesis.h"

namespace instantgp {

std::optional<ClosedFormScale> ScaleOf(const NetworkConfig& config) {
  if (!config.closed_form_scale) return std::nullopt;
  return ClosedFormScale{};
}

ChosenHypothesis ChooseHypothesis(const Covariance& covariance, const Matrix& X, const Vector& y, const Matrix& theta,
                                  const std::optional<ClosedFormScale>& scale, NlmlWorkspace& workspace) {
  ChosenHypothesis best;
  for (Index k = 0; k < theta.cols(); ++k) {
    const NlmlValue value =
        NegativeLogMarginalLikelihood(covariance, X, y, theta.col(k), nullptr, workspace, scale ? &*scale : nullptr);
    if (value.ok && (!best.ok || value.nlml < best.nlml)) {
      best = {true, static_cast<int>(k), value.nlml, value.log_scale};
    }
  }
  return best;
}

Vector ScaleKernelAndNoise(const Structure& structure, Vector theta, double log_scale) {
  ScaleKernel(structure, log_scale, theta);
  theta[theta.size() - 1] += log_scale;
  return theta;
}

}  // namespace instantgp

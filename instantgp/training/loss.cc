#include "instantgp/training/loss.h"

#include <cmath>

#include "instantgp/base/check.h"
#include "instantgp/gp/covariance.h"
#include "instantgp/kernel/expression.h"

namespace instantgp {

BestHypothesis ChooseHypothesis(const Covariance& covariance, const Matrix& X, const Vector& y, const Matrix& theta,
                                LossWorkspace& workspace) {
  BestHypothesis best;
  for (Index k = 0; k < theta.cols(); ++k) {
    workspace.theta = theta.col(k);
    const NlmlValue value = NegativeLogMarginalLikelihood(covariance, X, y, workspace.theta, nullptr, workspace.nlml);
    if (value.ok && (!best.ok || value.nlml < best.nlml)) best = {true, static_cast<int>(k), value.nlml};
  }
  return best;
}

DatasetLoss EvaluateLoss(const LossConfig& config, const Structure& structure, const Matrix& X, const Vector& y,
                         double true_noise_log_variance, const Matrix& theta, RandomStream& random,
                         LossWorkspace& workspace, Matrix* dtheta) {
  const int hypotheses = static_cast<int>(theta.cols());
  const Index size = theta.rows();
  const Covariance covariance(ToExpression(structure));
  INSTANTGP_CHECK(covariance.num_parameters() + 1 == size);
  dtheta->setZero(size, hypotheses);
  workspace.gradients.resize(hypotheses);

  // A gradient costs about three values. The others that join are known beforehand; the best only after all values.
  DatasetLoss out;
  for (int k = 0; k < hypotheses; ++k) {
    const bool joins = random.Uniform() < config.other_probability && config.phase == 1;
    const bool with_gradient = joins || hypotheses == 1;
    workspace.theta = theta.col(k);
    Vector& gradient = workspace.gradients[k];
    const NlmlValue value = NegativeLogMarginalLikelihood(covariance, X, y, workspace.theta,
                                                          with_gradient ? &gradient : nullptr, workspace.nlml);
    if (!value.ok || !with_gradient) gradient.resize(0);
    if (joins && value.ok) dtheta->col(k) = config.other_weight * gradient;
    if (value.ok && (!out.ok || value.nlml < out.nlml)) {
      out.ok = true;
      out.best = k;
      out.nlml = value.nlml;
    }
  }
  if (!out.ok) return out;
  Vector& gradient = workspace.gradients[out.best];
  if (gradient.size() == 0) {
    workspace.theta = theta.col(out.best);
    const NlmlValue value = NegativeLogMarginalLikelihood(covariance, X, y, workspace.theta, &gradient, workspace.nlml);
    if (!value.ok) {
      out.ok = false;
      return out;
    }
  }

  if (config.phase == 1) {
    out.loss = out.nlml;
    dtheta->col(out.best) = gradient;
  } else {
    const double predicted = std::exp(0.5 * theta(size - 1, out.best));
    const double error = predicted - std::exp(0.5 * true_noise_log_variance);
    out.loss = config.nlml_weight * out.nlml + config.noise_weight * error * error;
    dtheta->col(out.best) = config.nlml_weight * gradient;
    // d(error^2)/d(log variance) = 2 error * predicted / 2
    (*dtheta)(size - 1, out.best) += config.noise_weight * error * predicted;
  }
  const double norm = dtheta->norm();
  if (!std::isfinite(norm)) {
    dtheta->setZero();
    out.ok = false;
  } else if (config.output_clip > 0 && norm > config.output_clip) {
    *dtheta *= config.output_clip / norm;
    out.clipped = true;
  }
  return out;
}

}  // namespace instantgp

#include "instantgp/training/loss.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "instantgp/base/check.h"
#include "instantgp/base/resize.h"
#include "instantgp/gp/covariance.h"
#include "instantgp/kernel/expression.h"

namespace instantgp {
namespace {

struct Rung {
  int hypothesis = 0;
  double lower_noise = 0;  // by this much in log space; 0: none is below `nlml`
};

Rung LowestRung(const LossConfig& config, const Covariance& covariance, const Matrix& X, const Vector& y,
                const Matrix& theta, const ClosedFormScale* scale, double nlml, LossWorkspace& workspace) {
  Rung lowest;
  for (int k = 0; k < theta.cols() && config.noise_rungs > 0; ++k) {
    if (!theta.col(k).allFinite()) continue;
    Resize(workspace.K, X.rows(), X.rows());
    covariance.Gram(X, theta.col(k).data(), workspace.K, workspace.nlml.covariance);
    double before = workspace.own[static_cast<std::size_t>(k)];
    for (int r = 1; r <= config.noise_rungs; ++r) {
      const double lower = r * std::numbers::ln10;
      const NlmlValue value = NlmlOfGram(workspace.K, y, theta(theta.rows() - 1, k) - lower, workspace.nlml, scale);
      if (!value.ok || value.jitter > 0 || !(value.nlml < before)) break;
      before = value.nlml;
      if (before < nlml) {
        nlml = before;
        lowest = {k, lower};
      }
    }
  }
  return lowest;
}

}  // namespace

DatasetLoss EvaluateLoss(const LossConfig& config, const Structure& structure, const Matrix& X, const Vector& y,
                         double true_noise_log_variance, const Matrix& theta,
                         const std::optional<ClosedFormScale>& scale, RandomStream& random, LossWorkspace& workspace,
                         Matrix* dtheta) {
  const int hypotheses = static_cast<int>(theta.cols());
  const Index size = theta.rows();
  const Covariance covariance(ToExpression(structure));
  INSTANTGP_CHECK(covariance.num_parameters() + 1 == size);
  Resize(*dtheta, size, hypotheses);
  dtheta->setZero();
  workspace.gradients.resize(hypotheses);
  workspace.own.assign(hypotheses, std::numeric_limits<double>::infinity());

  ClosedFormScale own_scale = scale.value_or(ClosedFormScale{});
  const ClosedFormScale* used_scale = scale ? &own_scale : nullptr;
  const auto evaluate = [&](int k, Vector* gradient, double lower_noise = 0) {
    Resize(workspace.theta, size);
    workspace.theta = theta.col(k);
    workspace.theta[size - 1] -= lower_noise;
    return NegativeLogMarginalLikelihood(covariance, X, y, workspace.theta, gradient, workspace.nlml, used_scale);
  };

  // A gradient costs about three values. The others that join are known beforehand; the best only after all values.
  DatasetLoss out;
  double log_scale = 0;
  for (int k = 0; k < hypotheses; ++k) {
    const bool joins = random.Uniform() < config.other_probability && config.phase == 1;
    const bool with_gradient = joins || (hypotheses == 1 && config.phase == 1);
    Vector& gradient = workspace.gradients[k];
    const NlmlValue value = evaluate(k, with_gradient ? &gradient : nullptr);
    if (!value.ok || !with_gradient) gradient.resize(0);
    if (value.ok) workspace.own[k] = value.nlml;
    if (joins && value.ok) dtheta->col(k) = config.other_weight * gradient;
    if (value.ok && (!out.ok || value.nlml < out.nlml)) {
      out.ok = true;
      out.best = k;
      out.nlml = value.nlml;
      log_scale = value.log_scale;
    }
  }
  if (!out.ok) return out;
  // Phase 2: predicted = exp((theta_noise + log c) / 2), so d(error^2)/d(log variance) = d(error^2)/d(log c)
  //          = 2 error * predicted / 2.
  const double predicted = std::exp(0.5 * (theta(size - 1, out.best) + log_scale));
  const double error = predicted - std::exp(0.5 * true_noise_log_variance);
  if (config.phase == 2) own_scale.log_scale_weight = config.noise_weight * error * predicted / config.nlml_weight;
  Vector& gradient = workspace.gradients[out.best];
  if (gradient.size() == 0) {
    if (!evaluate(out.best, &gradient).ok) {
      out.ok = false;
      return out;
    }
  }

  if (config.phase == 1) {
    out.loss = out.nlml;
    dtheta->col(out.best) = gradient;
    const Rung rung = LowestRung(config, covariance, X, y, theta, used_scale, out.nlml, workspace);
    if (rung.lower_noise > 0 && evaluate(rung.hypothesis, &workspace.lower_gradient, rung.lower_noise).ok) {
      dtheta->col(out.best) *= 1 - config.rung_weight;
      dtheta->col(rung.hypothesis) += config.rung_weight * workspace.lower_gradient;
    }
  } else {
    out.loss = config.nlml_weight * out.nlml + config.noise_weight * error * error;
    dtheta->col(out.best) = config.nlml_weight * gradient;
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

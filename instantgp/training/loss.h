// The loss of one dataset at the K parameter sets the network predicts, and its gradient, in double.
//
// Phase 1:  NLML(theta_best) + other_weight * sum over a random few of the others of NLML(theta_k)
// Phase 2:  nlml_weight NLML(theta_best) + noise_weight (s_true - s_best)^2,   s = exp(log noise variance / 2)
// best = argmin over k of NLML(theta_k), per point. With noise_rungs, phase 1 also takes every hypothesis down the
// ladder it is ranked on in use, noise / 10, / 100, ... while that lowers its NLML. If one ends below the best as
// decoded,
//   (1 - rung_weight) NLML(theta_best) + rung_weight NLML(theta_lowest, its noise / 10^r)
// stands for NLML(theta_best): a kernel that is right but for its noise is then worth learning. With `scale` every
// NLML, and the noise of phase 2, is taken at the closed-form scale of kernel and noise (gp/marginal_likelihood.h), and
// the gradient goes through it.
#pragma once

#include <optional>
#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/base/rng.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/kernel/structure.h"
#include "instantgp/training/config.h"

namespace instantgp {

// Scratch of one thread.
struct LossWorkspace {
  NlmlWorkspace nlml;
  Matrix K;
  std::vector<Vector> gradients;  // per hypothesis
  std::vector<double> own;        // NLML of each at its noise as decoded
  Vector theta, lower_gradient;
};

struct DatasetLoss {
  bool ok = false;  // false: no hypothesis could be factorised; the dataset is to be skipped
  double loss = 0;  // without the random others, so that it can be compared between steps
  double nlml = 0;  // of the best hypothesis, per point
  int best = 0;
  bool clipped = false;
};

// dtheta (p + 1, K) = d(loss)/d(theta), clipped to norm output_clip; zero where a hypothesis takes no part. `random`
// decides which of the others join: one number is drawn per hypothesis whatever happens. `true_noise_log_variance` is
// read in phase 2.
DatasetLoss EvaluateLoss(const LossConfig& config, const Structure& structure, const Matrix& X, const Vector& y,
                         double true_noise_log_variance, const Matrix& theta,
                         const std::optional<ClosedFormScale>& scale, RandomStream& random, LossWorkspace& workspace,
                         Matrix* dtheta);

}  // namespace instantgp

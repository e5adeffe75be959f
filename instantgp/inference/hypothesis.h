// The best of the K parameter sets a network decodes for a structure.
#pragma once

#include <optional>

#include "instantgp/base/matrix.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/kernel/structure.h"
#include "instantgp/network/config.h"

namespace instantgp {

// What the network leaves to the closed form; nothing for networks that predict every scale themselves.
std::optional<ClosedFormScale> ScaleOf(const NetworkConfig& config);

struct ChosenHypothesis {
  bool ok = false;  // false: none could be factorised
  int index = 0;
  double nlml = 0;       // per point, at the scale
  double log_scale = 0;  // of kernel and noise together
};

// The column of theta (p + 1, K) with the smallest NLML on the given rows; the first of equals. Values only.
ChosenHypothesis ChooseHypothesis(const Covariance& covariance, const Matrix& X, const Vector& y, const Matrix& theta,
                                  const std::optional<ClosedFormScale>& scale, NlmlWorkspace& workspace);

// Kernel and noise multiplied by exp(log_scale). theta: log-parameters in table order, log noise variance last.
Vector ScaleKernelAndNoise(const Structure& structure, Vector theta, double log_scale);

}  // namespace instantgp

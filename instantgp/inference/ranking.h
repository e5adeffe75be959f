// Which of the K parameter sets a network decodes for a structure explains the data best.
#pragma once

#include <optional>
#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/inference/nlml_point.h"
#include "instantgp/inference/row_sample.h"
#include "instantgp/kernel/log_parameters.h"
#include "instantgp/kernel/structure.h"
#include "instantgp/network/config.h"

namespace instantgp {

// What the network leaves to the closed form; nothing for networks that predict every scale themselves.
std::optional<ClosedFormScale> ScaleOf(const NetworkConfig& config);

// The hypotheses (p + 1, K), each a column, evaluated on the rows, best first; of equals the earlier one. Those that
// cannot be evaluated are left out. `pool` may be null.
std::vector<NlmlPoint> RankHypotheses(const Covariance& covariance, const RowSample& rows, const Matrix& hypotheses,
                                      const ClosedFormScale* scale, ThreadPool* pool);

struct ChosenHypothesis {
  bool ok = false;  // false: none could be factorised
  int index = 0;
  double nlml = 0;       // per point, at the scale
  double log_scale = 0;  // of kernel and noise together
};

// The best one alone, in a workspace that is kept: for loops over many structures. Values only.
ChosenHypothesis ChooseHypothesis(const Covariance& covariance, const Matrix& X, const Vector& y,
                                  const Matrix& hypotheses, const std::optional<ClosedFormScale>& scale,
                                  NlmlWorkspace& workspace);

// Kernel and noise multiplied by exp(log_scale).
LogParameters ScaleKernelAndNoise(const Structure& structure, LogParameters theta, double log_scale);

}  // namespace instantgp

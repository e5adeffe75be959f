// The sparse variational Gaussian process: a baseline of the paper, and the way out when n is too large for exact
// algebra.
//
// The likelihood is Gaussian, so the best variational distribution over the inducing outputs is known in closed form
// and is put into the bound (gp/collapsed_bound.h). Against carrying its mean and covariance along as parameters that
// is m + m (m+1)/2 fewer numbers to learn, a bound that is never looser, and no inner optimisation to converge; what it
// gives up, minibatches over rows, full-batch steps do not need. Learned: inducing inputs, kernel parameters, noise.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "instantgp/base/matrix.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/kernel/expression.h"
#include "instantgp/kernel/fixed.h"
#include "instantgp/kernel/log_parameters.h"
#include "instantgp/optimize/objective.h"

namespace instantgp {

// The paper's settings: n/2 inducing points, Adam with rate 0.03, at most 500 full-batch steps, stopped early when the
// bound per point changed by no more than 1e-5 (1 + |bound|) over ten steps. Over one step, as for type-2 ML, a turning
// point of the path counts as convergence: on 500 rows of the power plant data after 35 steps, where 65 bring the bound
// 8e-4 further.
struct SvgpOptions {
  int inducing = 0;   // 0: n/2, at least 1. More than there are distinct rows counts as that number.
  int max_steps = 0;  // 0: 500
  double learning_rate = 0.03;
  std::uint64_t seed = 0;      // of the rows the inducing inputs start at
  ThreadPool* pool = nullptr;  // used from 1024 rows on
  FixedRows fixed = {};        // parameters that stay at these values
  std::stop_token stop = {};
  std::function<void(int done, int of)> progress = {};  // steps
};

struct SvgpResult {
  bool ok = false;
  LogParameters theta;
  Matrix Z;                        // (m, d) inducing inputs
  double negative_elbo = 0;        // per point, at the end: at least the NLML per point
  double negative_elbo_start = 0;  // per point
  int steps = 0;
  int evaluations = 0;
  int rejected = 0;
  StopReason reason = StopReason::kFailedAtStart;
  std::string message;  // when not ok: what to do about it
};

// From the standard start of type2_ml.h with inducing inputs at randomly chosen distinct rows. X and y are scaled.
SvgpResult FitSvgp(const Expression& expression, const Matrix& X, const Vector& y, const SvgpOptions& options);

// The number of inducing points that `requested` (0: the default) means for n rows.
int ResolveInducing(int requested, Index n);

// Bytes a fit needs at its peak, without the data.
double SvgpMemory(Index n, Index inducing);

}  // namespace instantgp

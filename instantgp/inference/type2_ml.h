// Type-2 maximum likelihood and MAP: the hyperparameters by optimisation, and the yardstick for the network.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "instantgp/base/matrix.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/kernel/expression.h"
#include "instantgp/kernel/fixed.h"
#include "instantgp/kernel/log_parameters.h"
#include "instantgp/optimize/objective.h"

namespace instantgp {

enum class Optimizer { kLbfgs, kAdam, kSecondOrder };

struct Type2Options {
  Optimizer optimizer = Optimizer::kLbfgs;
  bool map = false;   // add the log priors of kernel/prior.h
  int max_steps = 0;  // 0: the optimiser's own default (L-BFGS 200, Adam 150, second order 60)
  int restarts = 10;  // multi-start only: starts drawn from the priors
  std::uint64_t seed = 0;
  ThreadPool* pool = nullptr;  // for the starts of a multi-start, or for halves of the matrices inside one fit
  FixedRows fixed = {};        // parameters that stay at these values
  std::stop_token stop = {};
  // Called after every start with (done, of); from any thread, one call at a time.
  std::function<void(int, int)> progress = {};
};

struct Type2Result {
  bool ok = false;
  LogParameters theta;
  double value = 0;       // what was minimised, at theta
  double nlml = 0;        // per point at theta
  double nlml_start = 0;  // per point at the (best) start
  double jitter = 0;
  int steps = 0;
  int evaluations = 0;  // of all starts
  int rejected = 0;
  int starts = 1;
  int failed_starts = 0;
  StopReason reason = StopReason::kFailedAtStart;
  std::string message;  // when not ok: what to do about it
};

// The standard start: every kernel parameter 1, noise standard deviation 0.2.
LogParameters StandardStart(const Expression& expression);

// From `start` (empty: the standard start). X and y are scaled. Noise the rows do not speak for is held
// (noise_floor.h).
Type2Result FitType2(const Expression& expression, const Matrix& X, const Vector& y, const Type2Options& options,
                     const LogParameters& start = {});

// What FitType2 minimises, at theta: NLML per point, with the walls on extreme parameters and noise and, for MAP, the
// priors.
// nullopt where there is no Cholesky factor.
std::optional<double> Type2Value(const Expression& expression, const Matrix& X, const Vector& y, bool map,
                                 const LogParameters& theta);

// `restarts` draws from the priors, each optimised, the best end kept. The same for any number of threads.
Type2Result FitMultiStart(const Expression& expression, const Matrix& X, const Vector& y, const Type2Options& options);

}  // namespace instantgp

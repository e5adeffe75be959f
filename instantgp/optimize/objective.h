// What an optimiser minimises and what it tells afterwards.
#pragma once

#include <limits>
#include <stop_token>
#include <string>

#include "instantgp/base/matrix.h"

namespace instantgp {

class FirstOrderFunction {
 public:
  virtual ~FirstOrderFunction() = default;
  virtual int size() const = 0;
  // The value at x and, when `gradient` is not null, the gradient (resized by the callee). Returns false when no finite
  // value could be computed there; the optimiser then treats the point as a rejected step. Not const: may use scratch.
  virtual bool Evaluate(const Vector& x, double* value, Vector* gradient) = 0;
};

enum class StopReason {
  kConverged,      // gradient or change of value below tolerance
  kMaxSteps,       // step limit reached
  kLineSearch,     // no further decrease could be found
  kFailedAtStart,  // the start itself could not be evaluated
  kInterrupted,    // stop requested by the caller
};
std::string Describe(StopReason reason);

struct OptimizeSummary {
  Vector x;                                                      // the best point evaluated
  double value = std::numeric_limits<double>::infinity();        // its value
  double start_value = std::numeric_limits<double>::infinity();  // the start's value
  int steps = 0;
  int evaluations = 0;
  int rejected = 0;  // evaluations that failed or were not finite
  StopReason reason = StopReason::kFailedAtStart;
  Matrix curvature = {};  // second order: the last approximate Hessian, at x or one step before it; empty: none
};

}  // namespace instantgp

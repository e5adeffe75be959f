// Counts evaluations and remembers the best point: shared by all optimisers.
#pragma once

#include <cmath>

#include "instantgp/optimize/objective.h"

namespace instantgp {

class TrackedFunction {
 public:
  TrackedFunction(FirstOrderFunction& f, OptimizeSummary& summary) : f_(f), summary_(summary) {}

  // As FirstOrderFunction::Evaluate, but a value or gradient that is not finite is a failure too.
  bool Evaluate(const Vector& x, double* value, Vector* gradient) {
    ++summary_.evaluations;
    const bool ok = x.allFinite() && f_.Evaluate(x, value, gradient) && std::isfinite(*value) &&
                    (gradient == nullptr || gradient->allFinite());
    if (!ok) {
      ++summary_.rejected;
      return false;
    }
    if (summary_.evaluations == 1) summary_.start_value = *value;
    if (*value < summary_.value) {
      summary_.value = *value;
      summary_.x = x;
    }
    return true;
  }

 private:
  FirstOrderFunction& f_;
  OptimizeSummary& summary_;
};

}  // namespace instantgp

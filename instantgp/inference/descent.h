// A few second-order steps down the likelihood, from the start the network and the spread propose and from the standard
// one: most of what an optimiser finds, in a fraction of its evaluations.
//
// Steps are taken on a part of the rows, where they cost little; the better end on all rows takes the last ones there.
// With few rows, where the likelihood knows less than the start does, they are pulled towards it (learned_pull.h).
#pragma once

#include <span>

#include "instantgp/base/matrix.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/inference/learned_pull.h"
#include "instantgp/inference/nlml_point.h"
#include "instantgp/kernel/fixed.h"
#include "instantgp/kernel/log_parameters.h"

namespace instantgp {

// What it may cost. A step with its curvature costs n^2 p for p parameters, beside the n^3 of every likelihood.
struct DescentPlan {
  int rows;               // of the part
  int steps;              // there, from each start
  int steps_on_all_rows;  // from the better end
  double worth;           // nats per row that each further step there must gain
};
DescentPlan PlanFor(const Covariance& covariance, int n, int columns);

struct Descent {
  NlmlPoint end;  // evaluated on all rows; not ok: no start could be
  bool moved = false;
  int evaluations = 0;
  Matrix curvature;  // of NLML and pull per point by log theta, near the end (average information); empty: none
  Pull pull;         // under which it came about; no centre: no steps led there
  // What the step network read of the start that led there; empty: there is none, or that start could not be read.
  StepMatrix<float> reading;
  LogParameters other;  // the next best end of steps, from another start, at its best scale; empty: there is none
};

// From every start, each at its best scale, and from the standard one; `fixed` rows, lengthscales and periods, stay as
// they are. `steps` may be null or empty: then the pull is constant. Without `to_the_end` the last steps, on all rows,
// are left to the caller. `pool` may be null; the result does not depend on it.
Descent Descend(const Covariance& covariance, const Matrix& X, const Vector& y, std::span<const LogParameters> starts,
                const ClosedFormScale* scale, const FixedRows& fixed, const StepWeights* steps, bool to_the_end,
                ThreadPool* pool);

}  // namespace instantgp

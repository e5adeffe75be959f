// A few second-order steps down the likelihood, from the start the network and the spread propose and from the standard
// one: most of what an optimiser finds, in a fraction of its evaluations.
//
// Steps are taken on a part of the rows, where they cost little; the better end on all rows takes the last ones there.
// A step minimises
//   NLML / n + |r|^2 / (2 n s^2),   r the way from the start without the overall scale,
// so that with few rows, where the likelihood knows less than the start does, an answer stays near it.
#pragma once

#include <span>

#include "instantgp/base/matrix.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/inference/nlml_point.h"
#include "instantgp/kernel/fixed.h"

namespace instantgp {

// What it may cost. A step with its curvature costs n^2 p for p parameters, beside the n^3 of every likelihood.
struct DescentPlan {
  int rows;               // of the part
  int steps;              // there, from each start
  int steps_on_all_rows;  // from the better end
};
DescentPlan PlanFor(const Covariance& covariance, int n, int columns);

// s, the standard deviation of a log-parameter about where the network puts it: 1 for few rows; from 250 on it grows
// with n^2 and soon is none. With none on tables of 50 to 200 rows the held-out NLL is 0.01 to 0.1 higher.
double PullStd(int n);

struct Descent {
  NlmlPoint end;  // evaluated on all rows; not ok: no start could be
  bool moved = false;
  int evaluations = 0;
  Matrix curvature;  // of NLML per point by log theta, near the end (average information); empty: none
};

// From every start, each at its best scale, and from the standard one; `fixed` rows, lengthscales and periods, stay as
// they are. `pool` may be null; the result does not depend on it.
Descent Descend(const Covariance& covariance, const Matrix& X, const Vector& y, std::span<const LogParameters> starts,
                const ClosedFormScale* scale, const FixedRows& fixed, ThreadPool* pool);

}  // namespace instantgp

// The last adjustment of a one-shot answer, by a handful of likelihoods.
//
// A network of this size answers every parameter a little wrong. One step down the gradient takes back most of what
// that costs: each log-parameter moves by its slope over a curvature that is a constant of its kind, and the length of
// the step is the lowest point of a parabola. The noise, whose curvature differs most from data to data, then has a
// parabola of its own; there only the factorisation is repeated, not the kernel.
#pragma once

#include "instantgp/base/matrix.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/inference/nlml_point.h"
#include "instantgp/inference/noise_floor.h"

namespace instantgp {

struct Move {
  int evaluations = 0;  // likelihoods, a gradient counted as one
  bool moved = false;   // false: no lower point was found, and the one given stands
};

// Move an evaluated point to the lowest one found, along the gradient or along the noise. `pool` (may be null) shares
// the work; the result does not depend on it.
Move StepDown(const Covariance& covariance, const Matrix& X, const Vector& y, const ClosedFormScale* scale,
              ThreadPool* pool, NlmlPoint& point);
Move TuneNoise(const Vector& y, const ClosedFormScale* scale, ThreadPool* pool, NlmlPoint& point);

// Raise noise that the rows do not speak for (noise_floor.h), the rest of the evaluated point being as it is.
int RaiseNoise(const NoiseFloor& floor, const Vector& y, const ClosedFormScale* scale, NlmlPoint& point);

}  // namespace instantgp

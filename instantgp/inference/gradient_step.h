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
#include "instantgp/inference/noise_floor.h"

namespace instantgp {

// Some parameters and what is known of them on some rows.
struct NlmlPoint {
  Vector theta;             // log-parameters in table order, log noise variance last
  Matrix K;                 // the kernel's Gram matrix, lower triangle
  NlmlWorkspace workspace;  // A: the factor of K + noise, alpha: L^-1 y
  NlmlValue value;
};

// Everything but theta, from theta. Not ok where theta is not finite.
void Evaluate(const Covariance& covariance, const Matrix& X, const Vector& y, const ClosedFormScale* scale,
              NlmlPoint& point);

// Move an evaluated point to the lowest one found, along the gradient or along the noise; return the number of
// likelihoods, a gradient counted as one. `pool` (may be null) shares the work; the result does not depend on it.
int StepDown(const Covariance& covariance, const Matrix& X, const Vector& y, const ClosedFormScale* scale,
             ThreadPool* pool, NlmlPoint& point);
int TuneNoise(const Vector& y, const ClosedFormScale* scale, ThreadPool* pool, NlmlPoint& point);

// Raise noise that the rows do not speak for (noise_floor.h), the rest of the evaluated point being as it is.
int RaiseNoise(const NoiseFloor& floor, const Vector& y, const ClosedFormScale* scale, NlmlPoint& point);

}  // namespace instantgp

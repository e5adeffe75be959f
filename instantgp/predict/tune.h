// The last adjustment of a one-shot answer, by values of the likelihood alone.
//
// A network of this size answers every parameter a little wrong, and few directions of the parameter space carry most
// of what that costs: the noise, the lengthscales of all PER together, and all other lengthscales together. Along each,
// a parabola through three likelihoods says where a fourth may be lower. For the noise only the factorisation is
// repeated, not the kernel.
#pragma once

#include "instantgp/base/matrix.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/kernel/structure.h"

namespace instantgp {

// Some parameters and what is known of them on some rows.
struct EvaluatedPoint {
  Vector theta;             // log-parameters in table order, log noise variance last
  Matrix K;                 // the kernel's Gram matrix, lower triangle
  NlmlWorkspace workspace;  // A: the factor of K + noise, alpha: L^-1 y
  NlmlValue value;
};

// Everything but theta, from theta. Not ok where theta is not finite.
void Evaluate(const Covariance& covariance, const Matrix& X, const Vector& y, const ClosedFormScale* scale,
              EvaluatedPoint& candidate);

// Move an evaluated candidate to the lowest point found, all directions or the noise alone; return the number of
// likelihoods. `pool` (may be null) works on two points at once; the result does not depend on it.
int Tune(const Structure& structure, const Covariance& covariance, const Matrix& X, const Vector& y,
         const ClosedFormScale* scale, ThreadPool* pool, EvaluatedPoint& candidate);
int TuneNoise(const Covariance& covariance, const Matrix& X, const Vector& y, const ClosedFormScale* scale,
              ThreadPool* pool, EvaluatedPoint& candidate);

}  // namespace instantgp

// Parameters with their likelihood on some rows: what ranking, steps and noise floor pass on.
#pragma once

#include "instantgp/base/matrix.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/kernel/log_parameters.h"

namespace instantgp {

// Some parameters and what is known of them on some rows.
struct NlmlPoint {
  LogParameters theta;
  NlmlWorkspace workspace = {};  // A: the factor of K + noise, alpha: L^-1 y
  NlmlValue value = {};
};

// Everything but theta, from theta. Not ok where theta is not finite.
void Evaluate(const Covariance& covariance, const Matrix& X, const Vector& y, const ClosedFormScale* scale,
              NlmlPoint& point);

}  // namespace instantgp

// How much each member of an ensemble counts: the weights of the rules in ensemble.h.
#pragma once

#include "instantgp/base/matrix.h"

namespace instantgp {

// exp(s_k) / sum_j exp(s_j), at least one finite score; sums to 1 whatever the differences.
Vector SoftmaxWeights(const Vector& scores);

// The weights w on the simplex that maximise f(w) = 1/n sum_i log sum_k w_k p_ik, given log p (n, m).
//
// By EM from equal weights: w_k <- w_k g_k, g_k = 1/n sum_i p_ik / sum_j w_j p_ij, which never decreases f. As f is
// concave, f* - f(w) <= max_k g_k - 1: the iteration ends when that bound is below `tolerance` (or at a limit of
// steps), so the gap is known.
struct Stacking {
  Vector weights;  // (m), sums to 1
  double gap = 0;  // f* - f(weights) is at most this
  int steps = 0;
};
Stacking StackingWeights(const Matrix& log_density, double tolerance = 1e-5);

}  // namespace instantgp

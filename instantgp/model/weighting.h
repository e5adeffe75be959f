// How much each member of an ensemble counts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "instantgp/base/export.h"
#include "instantgp/base/matrix.h"

namespace instantgp {

// kBma       softmax of the log marginal likelihoods: the posterior over structures under a uniform prior
// kTempered  the same with the log likelihoods divided by a temperature; with hundreds of rows plain BMA is nearly
//            winner-takes-all
// kLoo       stacking: the weights with the best mean log density of left-out rows
// kUniform   all the same
enum class Weighting { kBma, kTempered, kLoo, kUniform };
INSTANTGP_EXPORT std::string_view Name(Weighting weighting);
INSTANTGP_EXPORT std::optional<Weighting> WeightingFromName(std::string_view name);
INSTANTGP_EXPORT std::string ListWeightings();  // "bma, tempered, ..." for messages

// exp(s_k) / sum_j exp(s_j), at least one finite score; sums to 1 whatever the differences.
INSTANTGP_EXPORT Vector SoftmaxWeights(const Vector& scores);

// The weights w on the simplex that maximise f(w) = 1/n sum_i log sum_k w_k p_ik, given log p (n, m).
//
// By EM from equal weights: w_k <- w_k g_k, g_k = 1/n sum_i p_ik / sum_j w_j p_ij, which never decreases f. As f is
// concave, f* - f(w) <= max_k g_k - 1: the iteration ends when that bound is below `tolerance` (or at a limit of
// steps), so the gap is known.
struct INSTANTGP_EXPORT Stacking {
  Vector weights;  // (m), sums to 1
  double gap = 0;  // f* - f(weights) is at most this
  int steps = 0;
};
INSTANTGP_EXPORT Stacking StackingWeights(const Matrix& log_density, double tolerance = 1e-5);

}  // namespace instantgp

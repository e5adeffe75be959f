// What must hold of every fitted model, whatever it was fitted to.
#pragma once

#include <string>

#include "instantgp/base/matrix.h"
#include "instantgp/model/model.h"

namespace instantgp::testing {

// What is looked at beside the predictions: everything, or one of three parts, for a fuzzer that has many models to
// look at.
enum class Invariants { kAll, kJoint, kReports, kFile };

// Empty, or the first thing that does not hold: predictions, quantiles, covariances and samples (kJoint), parameters
// and left-out scores (kReports) are finite; standard deviations are at least 0; intervals are ordered; the model read
// back from its own bytes predicts the same to the last bit (kFile). Not so after an update of an averaged model, whose
// other sets of parameters a file keeps without their factors: then `same_bits` is false.
std::string BrokenInvariant(const Model& model, const Matrix& X_new, bool same_bits = true,
                            Invariants which = Invariants::kAll);

}  // namespace instantgp::testing

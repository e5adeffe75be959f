// One-shot inference: hypotheses from one forward pass, the best of them kept, one full-size factorisation.
#pragma once

#include "instantgp/base/matrix.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/kernel/structure.h"
#include "instantgp/predict/encoding.h"
#include "instantgp/predict/hypothesis.h"
#include "instantgp/predict/trained_network.h"

namespace instantgp {

// Hypotheses are compared on all rows up to this many, beyond it on so many that are spread over the data.
inline constexpr int kScoringRows = 256;

struct OneShot {
  Posterior posterior;
  int evaluations = 0;  // likelihoods compared
};

// The posterior at the best of the hypotheses in theta (p + 1, K), kernel and noise at the closed-form scale when
// `scale` asks for it. X and y are scaled; `pool` (may be null) works on several hypotheses at once; the result does
// not depend on it. Error(kNumerical) when none of the hypotheses can be factorised.
OneShot ChoosePosterior(const Structure& structure, const Matrix& X, const Vector& y, const Matrix& theta,
                        const std::optional<ClosedFormScale>& scale, ThreadPool* pool);

}  // namespace instantgp

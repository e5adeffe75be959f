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

// Hypotheses run heats: all of them on at most the first number of rows, the best two on at most the second, the best
// one on all; rows are spread over the data. A heat that has all rows is the last one, and its winner's factor is kept.
inline constexpr int kFirstHeatRows = 128;
inline constexpr int kSecondHeatRows = 256;

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

// One-shot inference: hypotheses from one forward pass, the best of them kept, one full-size factorisation.
#pragma once

#include "instantgp/base/matrix.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/inference/encoding.h"
#include "instantgp/inference/hypothesis.h"
#include "instantgp/inference/trained_network.h"
#include "instantgp/kernel/structure.h"

namespace instantgp {

// Hypotheses are compared on at most kRankingRows rows and the best of them takes a step down there (tune.h); its noise
// is tuned on at most kNoiseRows, and what comes out is factorised on all. Rows are spread over the data.
inline constexpr int kRankingRows = 128;
inline constexpr int kNoiseRows = 256;
// With fewer rows the likelihood knows less than the network, and tuning makes predictions worse.
inline constexpr int kFewestRowsToStep = 30;

struct OneShot {
  Posterior posterior;
  int evaluations = 0;   // likelihoods
  bool stepped = false;  // whether the answer was moved by the likelihood's gradient (tune.h), or stands as decoded
};

// The posterior at the best of the hypotheses in theta (p + 1, K), kernel and noise at the closed-form scale when
// `scale` asks for it. X and y are scaled; `pool` (may be null) works on several hypotheses at once; the result does
// not depend on it. Error(kNumerical) when none of the hypotheses can be factorised.
enum class GradientStep { kNo, kYes };  // no: the hypothesis as it was decoded
OneShot ChoosePosterior(const Structure& structure, const Matrix& X, const Vector& y, const Matrix& theta,
                        const std::optional<ClosedFormScale>& scale, ThreadPool* pool,
                        GradientStep tuned = GradientStep::kYes);

}  // namespace instantgp

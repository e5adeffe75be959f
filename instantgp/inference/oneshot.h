// One-shot inference: decode, hypotheses from the data, ranking, one step down the gradient, one full-size
// factorisation. The one function that fits, ensembles, updates, tests and benchmarks call.
#pragma once

#include <optional>

#include "instantgp/base/matrix.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/inference/encoding.h"
#include "instantgp/inference/trained_network.h"
#include "instantgp/kernel/structure.h"

namespace instantgp {

// Hypotheses are ranked on at most kRankingRows rows and the best of them takes a step down there (gradient_step.h);
// its noise is tuned on at most kNoiseRows, and what comes out is factorised on all. Rows are spread over the data. On
// the simulated and real tables of docs/model-card.md twice as many rows changed neither the ranking nor the step
// noticeably, and half as many did.
inline constexpr int kRankingRows = 128;
inline constexpr int kNoiseRows = 256;
// With fewer rows the likelihood knows less than the network, and a step makes predictions worse: with it the mean test
// NLL of simulated tables of at most 20 rows was 1.49, without 0.98.
inline constexpr int kFewestRowsToStep = 30;

// How much work an answer is worth.
struct Effort {
  bool spread = true;
  bool standard_start = true;
  int step_rows = 200;
  int steps = 6;       // on them, from each start
  int full_steps = 2;  // on all rows, from the best
  double pull = 0;
};

struct OneShotOptions {
  ThreadPool* pool = nullptr;  // works on several hypotheses at once; the result does not depend on it
  const Matrix* decoded =
      nullptr;  // hypotheses (p + 1, K) in place of the network's own, decoded in a batch or adapted
  // As decoded: no hypotheses from the data, no step, as always for the AHGP baseline. Noise that the rows do not speak
  // for is raised all the same (noise_floor.h).
  bool bare = false;
  std::optional<Effort> effort = std::nullopt;
};

struct OneShot {
  Posterior posterior;
  Matrix hypotheses;                     // (p + 1, K): all that were ranked, without the closed-form scale
  std::optional<ClosedFormScale> scale;  // what the network leaves to the closed form
  int evaluations = 0;                   // likelihoods
  bool stepped = false;                  // whether a step down the gradient moved the answer
  double decode_ms = 0, factorize_ms = 0;
  Matrix draws = {};  // (p + 1, S): further parameters to average predictions over; empty: none
};

// The posterior at the best of the hypotheses for a structure. Error(kNumerical) when none of them can be factorised.
OneShot InferOneShot(const TrainedNetwork& network, const Encoding& encoding, const Structure& structure,
                     const OneShotOptions& options = {});

}  // namespace instantgp

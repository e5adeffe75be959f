// One-shot inference: decode, hypotheses from the data, a spread about them, ranking, a few steps down the likelihood.
// The one function that fits, ensembles, updates, tests and benchmarks call.
#pragma once

#include "instantgp/base/matrix.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/inference/encoding.h"
#include "instantgp/inference/hypotheses_from_data.h"
#include "instantgp/inference/learned_pull.h"
#include "instantgp/inference/trained_network.h"
#include "instantgp/kernel/log_parameters.h"
#include "instantgp/kernel/structure.h"

namespace instantgp {

// Hypotheses are ranked on at most so many rows, spread over the data. On the simulated and real tables of
// docs/model-card.md twice as many changed the ranking hardly, half as many did.
inline constexpr int kRankingRows = 128;

struct OneShotOptions {
  ThreadPool* pool = nullptr;  // works on several hypotheses at once; the result does not depend on it
  const Matrix* decoded =
      nullptr;  // hypotheses (p + 1, K) in place of the network's own, decoded in a batch or adapted
  // As decoded: no hypotheses from the data, no spread, no steps, as always for the AHGP baseline. Noise that the rows
  // do not speak for is raised all the same (noise_floor.h).
  bool bare = false;
  // The caller takes steps of its own on all rows (refine.h): one-shot takes none there, and with few rows a single
  // start is left as it is. Several, of periods, are told apart by steps.
  bool leave_steps = false;
  // The kernel whose structure is asked for, where it fixes lengthscales or periods; they are held in every hypothesis
  // and draw. Null: nothing is fixed.
  const Expression* kernel = nullptr;
  // In place of the network's own step network, as training does.
  const StepWeights* steps = nullptr;
  int draws = 0;  // how many parameters to draw for few rows (parameter_draws.h)
  // Of all columns along which the structure has periods, where several structures share them
  // (hypotheses_from_data.h); null: none are known.
  const ColumnWaves* waves = nullptr;
  // Of an answer to nearly the same data: one more hypothesis, and with it the search for others ends at the network's
  // own. For data that change a little many times a second; a third of the time of five kernels on 50 rows. Null: none.
  const LogParameters* near = nullptr;
};

struct OneShot {
  Posterior posterior;
  int evaluations = 0;   // likelihoods
  bool stepped = false;  // whether steps down the likelihood moved the answer
  Matrix draws;          // (p + 1, S): further parameters to average predictions over; empty: none
  // How the steps came there, for training: no reading where none did, or the network has no step network.
  Pull pull;
  StepMatrix<float> reading;
  Matrix curvature;
  LogParameters other;  // where another start ended, at its best scale; empty: no steps were taken from one
  double decode_ms = 0, factorize_ms = 0;
};

// The posterior at the best of the hypotheses for a structure. Error(kNumerical) when none of them can be factorised.
OneShot InferOneShot(const TrainedNetwork& network, const Encoding& encoding, const Structure& structure,
                     const OneShotOptions& options = {});

}  // namespace instantgp

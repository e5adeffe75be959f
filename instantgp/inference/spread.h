// Hypotheses spread on purpose over what the network finds hardest: how much is noise, and how smooth the rest.
//
// Its answers err together: on tables of little noise all of them have too much of it, on nearly linear ones all
// lengthscales are too short. Around every hypothesis the lengthscales of SE and MAT52 are multiplied by 1, 3 and
// 12, and the noise goes down a ladder, to a ten thousandth, while that makes the likelihood better; further ones have
// the same lengthscale everywhere.
// Those that differ in the noise alone share a Gram matrix, so each costs little more than a factorisation on the
// hundred rows they are ranked on.
#pragma once

#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/inference/nlml_point.h"
#include "instantgp/inference/row_sample.h"
#include "instantgp/kernel/structure.h"

namespace instantgp {

// Candidates that differ in their noise alone.
struct NoiseLadder {
  LogParameters theta;  // its own noise does not count
  std::vector<double> log_noises;
  bool of_kernel = false;  // whether they are relative to the mean variance of the kernel
};

// theta with its kernel scaled to a mean variance over the rows of X; its noise is scaled along.
LogParameters WithVariance(const Covariance& covariance, const Matrix& X, LogParameters theta, double variance);

std::vector<NoiseLadder> Spread(const Structure& structure, const Matrix& hypotheses);

// The more promising part of many ladders, by a first ranking on few rows, best first; all of them where that would not
// be worth its time.
std::vector<NoiseLadder> Heat(const Covariance& covariance, const RowSample& rows, std::vector<NoiseLadder> ladders,
                              const ClosedFormScale* scale, double least_noise, ThreadPool* pool);

// The best of every ladder, evaluated on the rows, best first; of equals the earlier one. Those without a factor are
// left out; a ladder ends above the least log noise (noise_floor.h), at its best scale, but for its first rung.
std::vector<NlmlPoint> RankLadders(const Covariance& covariance, const RowSample& rows,
                                   const std::vector<NoiseLadder>& ladders, const ClosedFormScale* scale,
                                   double least_noise, ThreadPool* pool);

}  // namespace instantgp

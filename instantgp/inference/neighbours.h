// Fitting a posterior from neighbours (gp/neighbour_posterior.h) to a table of any size.
//
// 1. The table is read at several scales (readings.h).
// 2. The readings are ranked by how well some rows are predicted by their neighbours, each left out in turn.
// 3. From the best three, three numbers are tuned on that density: a factor for all lengthscales, one for kernel and
//    noise, one for the noise. `refine` goes on with every parameter, and keeps the result if rows that nothing was
//    chosen on so far are predicted better by more than the standard error of the difference.
// 4. Other rows say how many neighbours are worth their time, unless it is given.
// 5. Another set of rows calibrates the variance: one factor for kernel and noise together, which moves no mean.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

#include "instantgp/base/matrix.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/neighbour_posterior.h"
#include "instantgp/inference/trained_network.h"
#include "instantgp/kernel/fixed.h"
#include "instantgp/kernel/structure.h"

namespace instantgp {

struct NeighbourOptions {
  int neighbours = 0;  // 0: as many as are worth it, 64 to 256
  bool refine = false;
  // A search that looks at more rows than this takes longer than the prediction itself (a million rows with twelve
  // columns: a hundred thousand rows seen, ten times as long): from there on it is approximate.
  double most_rows_seen = 30000;
  std::uint64_t seed = 0;
  FixedRows fixed = {};
  ThreadPool* pool = nullptr;  // the result does not depend on it
  std::stop_token stop = {};   // Error(kInterrupted)
  std::function<void(int done, int of)> progress = {};
};

struct NeighbourFit {
  NeighbourPosterior posterior;
  int readings = 0, zoom = 1;      // zoom: of the reading that was taken
  int evaluations = 0, steps = 0;  // of the density
  bool refined = false;            // whether refine's parameters were taken
  double nll_start = 0;            // of rows left out, at the best reading
  double nll = 0;                  // of other rows left out, at the end
  double scale = 1;                // the calibration's factor of the variance
  double recall = 1;               // share of the nearest rows that the search finds; 1 where it is exact
  double tree_ms = 0, read_ms = 0, tune_ms = 0, calibrate_ms = 0;
};

// X and y are scaled; the expression is that of the structure, or the same with fixed parameters. Throws Error:
// kBadInput for a kernel that has no range on any column, kNumerical, kInterrupted.
NeighbourFit FitNeighbours(const TrainedNetwork& network, const Expression& expression, const Structure& structure,
                           Matrix X, Vector y, const NeighbourOptions& options);

// Fewest and most neighbours that are tried where the number is not given.
inline constexpr int kFewNeighbours = 64, kManyNeighbours = 256;

}  // namespace instantgp

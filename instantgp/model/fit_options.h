// What is asked of a fit, and what it will cost.
#pragma once

#include <cstdint>
#include <functional>

#include "instantgp/model/methods.h"

namespace instantgp {

struct FitOptions {
  Method method = Method::kOneShot;
  int steps = 0;      // 0: the method's default
  bool map = false;   // refine: with the log priors, as map does
  int restarts = 10;  // multistart
  int inducing = 0;   // svgp: inducing points; 0: half the rows
  std::uint64_t seed = 0;
  // multistart: starts; svgp: steps; ensembles: structures. Called from any thread, one call at a time.
  std::function<void(int done, int of)> progress = {};

  void Validate() const;  // throws Error(kUsage) naming the option
};

// What a fit will take, known before it starts.
struct FitCost {
  double bytes = 0;    // of matrices at the peak
  double seconds = 0;  // a rough estimate: operations of one factorisation, at 20 GFLOP/s, times the factorisations
};
FitCost EstimateCost(int n, const FitOptions& options);

}  // namespace instantgp

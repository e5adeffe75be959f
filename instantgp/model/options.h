// What is asked of a fit, what it works with, and what it will cost.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "instantgp/base/export.h"
#include "instantgp/data/target_transform.h"

namespace instantgp {

class TrainedNetwork;

// How the parameters are found: from the network (kOneShot), the same polished (kRefine), by type-2 maximum likelihood
// (kMl, kAdam, kMultiStart) or with the priors (kMap), with inducing points (kSvgp), by the AHGP baseline (kAhgp), or
// from the network for predictions out of the nearest rows (kNeighbours), which any number of rows allows.
enum class Method { kOneShot, kRefine, kMl, kAdam, kMultiStart, kMap, kSvgp, kAhgp, kNeighbours };
INSTANTGP_EXPORT std::string_view Name(Method method);  // what users say: "oneshot"
INSTANTGP_EXPORT std::optional<Method> MethodFromName(std::string_view name);
INSTANTGP_EXPORT std::string ListMethods();  // "oneshot, refine, ml, ..." for messages

struct INSTANTGP_EXPORT FitOptions {
  Method method = Method::kOneShot;
  // Most optimiser steps; none, and 0 for all methods but oneshot: the method's default. oneshot takes no number but 0,
  // the network's answer as it is.
  std::optional<int> steps = {};
  bool map = false;   // refine: with the log priors, as map does
  int restarts = 10;  // multistart
  int inducing = 0;   // svgp: inducing points; 0: half the rows
  // neighbours: rows that a prediction uses; 0: as many as are worth it, 64 to 256.
  int neighbours = 0;
  bool every_lengthscale = false;  // neighbours: tune every parameter, not only three numbers
  // oneshot, refine: the exact posterior whatever it costs. Otherwise they become neighbours (refine: with
  // every_lengthscale) from as many rows on as an exact posterior takes more than kMostExactSeconds or the memory
  // limit.
  bool exact = false;
  // How the target is looked at. kAuto fits under every transform its values allow, none among them, and keeps the one
  // with the largest evidence of the targets, the Jacobian included. For Session::Fit of a table and Fit alone.
  TransformChoice transform = TransformChoice::kNone;
  std::uint64_t seed = 0;
  // multistart: starts; svgp: steps; ensembles: structures. Called from any thread, one call at a time.
  std::function<void(int done, int of)> progress = {};

  void Validate() const;  // throws Error(kUsage) naming the option
};

// What the matrices of a fit may take together unless a session says otherwise.
inline constexpr double kDefaultMemoryLimit = 8.0 * 1024 * 1024 * 1024;

struct INSTANTGP_EXPORT SessionOptions {
  const TrainedNetwork* network = nullptr;    // null: the one inside the library, for the method ahgp the baseline's
  int threads = 0;                            // 0: as the machine has
  double memory_limit = kDefaultMemoryLimit;  // bytes
  std::stop_token stop = {};

  void Validate() const;  // throws Error(kUsage) naming the option
};

// Weights from a file, for SessionOptions::network; Error(kBadInput) naming the file.
INSTANTGP_EXPORT std::shared_ptr<const TrainedNetwork> LoadNetwork(const std::string& path);

// What a fit will take, known before it starts.
struct INSTANTGP_EXPORT FitCost {
  double bytes = 0;    // of matrices at the peak
  double seconds = 0;  // a rough estimate: operations of one factorisation, at 20 GFLOP/s, times the factorisations
};
INSTANTGP_EXPORT FitCost EstimateCost(int n, const FitOptions& options);
// Of a fit by neighbours of n rows and d inputs; the memory includes the table it is given.
INSTANTGP_EXPORT FitCost EstimateNeighboursCost(int n, int d);

// An exact posterior that is estimated to take longer than this is not made unless asked for.
inline constexpr double kMostExactSeconds = 4;
// What a fit of n rows is going to use: `options`, or neighbours in place of an exact posterior that would be too dear.
INSTANTGP_EXPORT FitOptions ResolveForRows(const FitOptions& options, int n, double memory_limit);

}  // namespace instantgp

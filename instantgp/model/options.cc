#include "instantgp/model/options.h"

#include <string>

#include "instantgp/base/error.h"
#include "instantgp/inference/svgp.h"
#include "instantgp/inference/trained_network.h"
#include "instantgp/model/methods.h"

namespace instantgp {
namespace {

constexpr int kMostNeighbours = 2000;  // each prediction factorises so many rows

}  // namespace

void FitOptions::Validate() const {
  const auto require = [](bool ok, const char* option, const char* rule, long given) {
    if (ok) return;
    throw Error(ErrorCode::kUsage, std::string(option) + " must " + rule + ", got " + std::to_string(given),
                {{option}});
  };
  require(steps.value_or(0) >= 0, "steps", "not be negative", steps.value_or(0));
  require(restarts >= 1, "restarts", "be at least 1", restarts);
  require(inducing >= 0, "inducing", "not be negative", inducing);
  require(neighbours >= 0, "neighbours", "not be negative", neighbours);
  require(neighbours <= kMostNeighbours, "neighbours", "be at most 2000", neighbours);
  if (map && method != Method::kRefine && method != Method::kMap) {
    throw Error(ErrorCode::kUsage,
                "the objective map is for the method refine, not for " + std::string(Name(method)) +
                    "; for the priors from the start use the method map",
                {{"method", "map"}});
  }
}

void SessionOptions::Validate() const {
  if (threads < 0) {
    throw Error(ErrorCode::kUsage, "threads must not be negative, got " + std::to_string(threads), {{"threads"}});
  }
  if (!(memory_limit > 0)) throw Error(ErrorCode::kUsage, "the memory limit must be positive", {{"memory_limit"}});
}

std::shared_ptr<const TrainedNetwork> LoadNetwork(const std::string& path) {
  return std::make_shared<const TrainedNetwork>(TrainedNetwork::Load(path));
}

FitCost EstimateCost(int n, const FitOptions& options) {
  constexpr double kFlops = 20e9;  // a second, of one core
  const MethodInfo& method = InfoOf(options.method);
  const double count = n;
  if (method.sparse) {
    const double m = ResolveInducing(options.inducing, n);
    return {SvgpMemory(n, static_cast<Index>(m)), method.evaluations * (5 * count * m * m + 6 * m * m * m) / kFlops};
  }
  if (options.method == Method::kNeighbours) return EstimateNeighboursCost(n, 8);
  const bool once = method.evaluations == 0;
  const double factorisations = once ? 1 : method.evaluations * (method.starts_from_priors ? options.restarts : 1.0);
  const double operations = count * count * count * (once ? 1.0 / 3 : 1.5);
  return {method.matrices * 8 * count * count, factorisations * operations / kFlops};
}

FitCost EstimateNeighboursCost(int n, int d) {
  // The program with its network and the systems of the left-out rows; the table, its scaled copy, the sort's keys, and
  // the boxes of the tree (a sixth of the inputs). Measured: 40 MB, and 3.3 times a table of two inputs, saving
  // included. Seconds as measured on two cores: reading and tuning, then the rows.
  const double rows = n, columns = d;
  return {8 * rows * (2.2 * (columns + 1) + 3.4) + 48e6, 1 + 0.15 * columns + 1.5e-6 * rows};
}

FitOptions ResolveForRows(const FitOptions& options, int n, double memory_limit) {
  const bool asks = options.method == Method::kOneShot || options.method == Method::kRefine;
  if (!asks || options.exact || options.steps || options.map) return options;
  FitOptions one_shot;
  const FitCost cost = EstimateCost(n, one_shot);
  if (cost.seconds <= kMostExactSeconds && cost.bytes <= memory_limit) return options;
  FitOptions resolved = options;
  resolved.method = Method::kNeighbours;
  resolved.every_lengthscale = options.every_lengthscale || options.method == Method::kRefine;
  return resolved;
}

}  // namespace instantgp

#include "instantgp/model/options.h"

#include <string>

#include "instantgp/base/error.h"
#include "instantgp/inference/svgp.h"
#include "instantgp/inference/trained_network.h"
#include "instantgp/model/methods.h"

namespace instantgp {

void FitOptions::Validate() const {
  const auto require = [](bool ok, const char* option, const char* rule, long given) {
    if (ok) return;
    throw Error(ErrorCode::kUsage, std::string(option) + " must " + rule + ", got " + std::to_string(given),
                {{option}});
  };
  require(steps.value_or(0) >= 0, "steps", "not be negative", steps.value_or(0));
  require(restarts >= 1, "restarts", "be at least 1", restarts);
  require(inducing >= 0, "inducing", "not be negative", inducing);
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
  const bool once = method.evaluations == 0;
  const double factorisations = once ? 1 : method.evaluations * (method.starts_from_priors ? options.restarts : 1.0);
  const double operations = count * count * count * (once ? 1.0 / 3 : 1.5);
  return {method.matrices * 8 * count * count, factorisations * operations / kFlops};
}

}  // namespace instantgp

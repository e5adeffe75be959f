#include <cstdio>

#include "apps/cli/options/session.h"
#include "apps/serve/api/endpoints.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"

namespace instantgp::serve {

FitOptions ReadFitOptions(Fields& fields, std::uint64_t seed) {
  FitOptions options;
  options.method = cli::ResolveMethod(fields.Text("method", "oneshot"));
  options.steps = fields.OptionalInt("steps", 0, 1000000);
  options.map = fields.OneOf("objective", {"ml", "map"}) == "map";
  options.restarts = fields.Int("restarts", 1, 100000, 10);
  options.inducing = fields.Int("inducing", 0, 1000000, 0);
  options.neighbours = fields.Int("neighbours", 0, 2000, 0);
  options.every_lengthscale = fields.Flag("every_lengthscale");
  options.exact = fields.Flag("exact");
  options.seed = seed;
  options.Validate();
  return options;
}

SessionOptions ReadSession(const Call& call, int threads) {
  SessionOptions options;
  options.threads = threads;
  options.memory_limit = call.limits.memory;
  options.stop = call.request.stop;
  return options;
}

void CheckCost(const Dataset& data, const FitOptions& options, const Limits& limits, double fits) {
  const FitOptions resolved = ResolveForRows(options, data.rows(), limits.memory);
  const FitCost cost = resolved.method == Method::kNeighbours ? EstimateNeighboursCost(data.rows(), data.columns())
                                                              : EstimateCost(data.rows(), resolved);
  if (fits * cost.seconds <= limits.seconds) return;
  char text[200];
  std::snprintf(text, sizeof text, "this would take at least %.0f s on %d rows; a request may take %.0f s",
                fits * cost.seconds, data.rows(), limits.seconds);
  throw Error(ErrorCode::kLimit, text, {{"method", "neighbours"}});
}

void CheckKernel(const std::string& kernel, const Limits& limits) {
  if (kernel.size() <= limits.kernel_bytes) return;
  throw Error(ErrorCode::kLimit, "the kernel has " + std::to_string(kernel.size()) + " characters; this server takes " +
                                     std::to_string(limits.kernel_bytes));
}

void KeepModel(Call& call, bool keep, cli::Fitted fitted, Json& document) {
  if (keep) document["model"] = call.models.Add(std::move(fitted));
}

std::shared_ptr<const cli::Fitted> FindModel(ModelStore& models, const std::string& id) {
  if (auto fitted = models.Find(id)) return fitted;
  throw HttpError(404, "there is no model '" + OneLine(id.substr(0, 64)) +
                           "'; models are kept for a while only: fit it again, or upload its file to /v1/models");
}

}  // namespace instantgp::serve

// POST /v1/ensemble
#include "apps/cli/report/documents.h"
#include "apps/serve/api/diagnostics.h"
#include "apps/serve/api/endpoints.h"
#include "apps/serve/api/tables.h"
#include "instantgp/base/error.h"
#include "instantgp/model/fit_ensemble.h"
#include "instantgp/model/spoken_columns.h"

namespace instantgp::serve {

Json EnsembleOf(Call& call) {
  Fields& fields = call.fields;
  const std::uint64_t seed = fields.Seed();
  EnsembleOptions options;
  options.fit = ReadFitOptions(fields, seed);
  options.weighting = *WeightingFromName(fields.OneOf("weights_by", {"bma", "tempered", "loo", "uniform"}));
  options.temperature = fields.Number("temperature", 0, 1e9).value_or(0);
  if (options.temperature != 0 && options.weighting != Weighting::kTempered) {
    throw Error(ErrorCode::kUsage, "the option 'temperature' goes with weights_by tempered", {{"temperature"}});
  }
  std::vector<std::string> kernels = fields.Texts("kernels");
  if (kernels.size() > call.limits.kernels) {
    throw Error(ErrorCode::kLimit, std::to_string(kernels.size()) + " kernels; this server takes " +
                                       std::to_string(call.limits.kernels) + " at once");
  }
  if (kernels.empty()) kernels = BuiltInKernels();
  for (const std::string& kernel : kernels) CheckKernel(kernel, call.limits);
  const ModelExtras extras = ReadExtras(fields);
  const bool keep = fields.Flag("keep", true);
  const cli::LoadedData loaded = LoadTable(fields, call.limits, seed, [&](const Dataset& data) {
    for (const std::string& kernel : kernels) ParseKernelOver(kernel, data.column_names, data.recipe.get());
  });
  fields.CheckAllUsed();
  CheckCost(loaded.train, options.fit, call.limits, static_cast<double>(kernels.size()));
  Session session(ReadSession(call, call.threads));
  Ensemble ensemble = FitEnsemble(session, loaded.train, kernels, options);
  cli::Results results;
  results.document = cli::EnsembleDocument(cli::ReportOn(ensemble, loaded, false), seed);
  AddExtras(call, extras, ensemble, loaded, results);
  KeepModel(call, keep, std::move(ensemble), results.document);
  return results.document;
}

}  // namespace instantgp::serve

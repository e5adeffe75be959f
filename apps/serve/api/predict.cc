// POST /v1/predict and /v1/models
#include <type_traits>

#include "apps/cli/options/table_input.h"
#include "apps/cli/report/documents.h"
#include "apps/serve/api/endpoints.h"
#include "apps/serve/api/tables.h"
#include "instantgp/base/error.h"

namespace instantgp::serve {

Json Predict(Call& call) {
  Fields& fields = call.fields;
  const std::string id = fields.Text("model");
  if (id.empty()) throw Error(ErrorCode::kUsage, "the request needs 'model', the id that a fit answered", {{"model"}});
  cli::PredictionRequest request;
  const bool latent = fields.Flag("latent");
  request.noise = latent ? Noise::kLatent : Noise::kObserved;
  request.samples = fields.Int("samples", 0, 10000, 0);
  request.cov = fields.Flag("cov");
  request.seed = fields.Seed();
  request.threads = 1;
  request.stop = call.request.stop;
  request.memory_limit = call.limits.memory;
  const NewRowsOptions policies = RowPolicies(fields);
  const std::string text = TextOfTable(fields);
  fields.CheckAllUsed();
  const std::shared_ptr<const cli::Fitted> kept = FindModel(call.models, id);
  return std::visit(
      [&](const auto& fitted) {
        const NewRows rows =
            ParseNewRows(text, kTableName, {fitted.column_names(), fitted.target_name(), fitted.recipe()}, policies);
        CheckCells(static_cast<double>(rows.X.rows()), static_cast<double>(rows.X.cols()), call.limits);
        const cli::PredictionOutput output = cli::ComputePredictions(fitted, rows.X, request);
        return cli::PredictDocument(fitted, id, latent, output, cli::ScoreRows(fitted, rows), cli::NotesOn(rows));
      },
      *kept);
}

Json UploadModel(Call& call) {
  if (call.request.body.empty()) throw HttpError(400, "the body must be a model file, as 'fit --model' writes it");
  cli::Fitted fitted = cli::ParseFitted(call.request.body, "the model file");
  const bool ensemble = std::holds_alternative<Ensemble>(fitted);
  Json document;
  document["schema"] = "instantgp/model/1";
  std::visit(
      [&](const auto& value) {
        document["n"] = value.rows();
        document["d"] = value.columns();
        document["columns"] = value.column_names();
        document["target"] = value.target_name();
      },
      fitted);
  document["kind"] = ensemble ? "ensemble" : "model";
  if (const auto* model = std::get_if<Model>(&fitted)) document["kernel"] = model->KernelText();
  KeepModel(call, true, std::move(fitted), document);
  return document;
}

}  // namespace instantgp::serve

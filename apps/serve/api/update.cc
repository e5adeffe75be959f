// POST /v1/update
#include "instantgp/model/update.h"

#include "apps/cli/options/session.h"
#include "apps/cli/options/table_input.h"
#include "apps/cli/report/documents.h"
#include "apps/serve/api/endpoints.h"
#include "apps/serve/api/tables.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"

namespace instantgp::serve {

Json UpdateModel(Call& call) {
  Fields& fields = call.fields;
  const std::string id = fields.Text("model");
  if (id.empty()) throw Error(ErrorCode::kUsage, "the request needs 'model', the id that a fit answered", {{"model"}});
  UpdateOptions options;
  const bool reinfer = fields.Flag("reinfer"), as_they_are = fields.Flag("keep_parameters");
  if (reinfer && as_they_are) throw Error(ErrorCode::kUsage, "'reinfer' and 'keep_parameters' exclude each other");
  options.reinfer = reinfer ? Reinfer::kAlways : as_they_are ? Reinfer::kNever : Reinfer::kWhenDrifting;
  if (const std::string method = fields.Text("method"); !method.empty()) options.method = cli::ResolveMethod(method);
  options.steps = fields.Int("steps", 0, 1000000, 0);
  const NewRowsOptions policies = RowPolicies(fields);
  const std::string text = TextOfTable(fields);
  fields.CheckAllUsed();
  const std::shared_ptr<const cli::Fitted> kept = FindModel(call.models, id);
  const Model* before = std::get_if<Model>(kept.get());
  if (before == nullptr) {
    throw Error(ErrorCode::kUsage,
                "this is an ensemble; update takes single models. Fit the ensemble again with all "
                "rows.");
  }
  const NewRows rows =
      ParseNewRows(text, kTableName, {before->column_names(), before->target_name(), before->recipe()}, policies);
  if (!rows.y || !rows.y->allFinite()) {
    throw Error(ErrorCode::kBadInput, "every new row needs a value of the target '" + OneLine(before->target_name()) +
                                          "'. Fill in the values or remove the rows.");
  }
  CheckCells(static_cast<double>(rows.X.rows() + before->rows()), static_cast<double>(rows.X.cols()), call.limits);
  Session session(ReadSession(call, 1));
  const UpdateResult result = Update(session, *before, rows.X, *rows.y, options);
  cli::FitReport report;
  report.source = id + " with " + cli::Count(rows.X.rows(), "new row");
  report.model = &result.model;
  report.warnings = result.model.warnings();
  for (std::string& note : cli::NotesOn(rows)) report.warnings.push_back(std::move(note));
  Json document = cli::UpdateDocument(result, report, rows.X.rows());
  KeepModel(call, true, result.model, document);  // beside the one it was made from
  return document;
}

}  // namespace instantgp::serve

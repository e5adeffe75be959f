// POST /v1/fit
#include <algorithm>

#include "apps/cli/report/comparison.h"
#include "apps/cli/report/documents.h"
#include "apps/cli/report/explanation.h"
#include "apps/cli/report/model_output.h"
#include "apps/serve/api/diagnostics.h"
#include "apps/serve/api/endpoints.h"
#include "apps/serve/api/tables.h"
#include "instantgp/base/error.h"
#include "instantgp/model/session.h"
#include "instantgp/model/spoken_columns.h"

namespace instantgp::serve {
namespace {

// Options of another method than the one asked for would be ignored; better to say so.
void CheckFitCombination(const FitOptions& options, const std::vector<Method>& compare) {
  const auto uses = [&](Method method) {
    return options.method == method || std::find(compare.begin(), compare.end(), method) != compare.end();
  };
  const auto need = [&](const char* option, bool given, bool fits, const char* methods) {
    if (!given || fits) return;
    throw Error(ErrorCode::kUsage, std::string("the option '") + option + "' goes with method " + methods, {{option}});
  };
  need("inducing", options.inducing > 0, uses(Method::kSvgp), "svgp");
  const bool neighbours = uses(Method::kNeighbours) || options.method == Method::kOneShot ||
                          options.method == Method::kRefine;  // which become neighbours for many rows
  need("neighbours", options.neighbours > 0, neighbours, "neighbours");
  need("exact", options.exact, options.method == Method::kOneShot || options.method == Method::kRefine,
       "oneshot or refine");
}

}  // namespace

Json Fit(Call& call) {
  Fields& fields = call.fields;
  const std::uint64_t seed = fields.Seed();
  const std::string kernel = fields.Text("kernel", "SE");
  CheckKernel(kernel, call.limits);
  FitOptions options = ReadFitOptions(fields, seed);
  std::vector<Method> compare;
  if (const std::string list = fields.Text("compare"); !list.empty()) compare = cli::MethodsFromList(list);
  CheckFitCombination(options, compare);
  const ModelExtras extras = ReadExtras(fields);
  const bool keep = fields.Flag("keep", true);
  const cli::LoadedData loaded = LoadTable(fields, call.limits, seed, [&](const Dataset& data) {
    ParseKernelOver(kernel, data.column_names, data.recipe.get());
  });
  fields.CheckAllUsed();
  CheckCost(loaded.train, options, call.limits);
  for (const Method other : compare) {
    FitOptions compared = options;
    compared.method = other;
    CheckCost(loaded.train, compared, call.limits, static_cast<double>(compare.size()));
  }
  Session session(ReadSession(call, 1));
  const Model model = session.Fit(loaded.train, kernel, options);
  const cli::FitReport report = cli::ReportOn(model, model.warnings(), loaded, false);
  std::vector<cli::ComparedFit> comparison;
  if (!compare.empty()) {
    const Dataset* held_out = loaded.held_out ? &*loaded.held_out : nullptr;
    comparison.push_back(cli::Compared(model, held_out));
    for (const Method other : compare) {
      comparison.push_back(cli::FitForComparison(session, loaded.train, held_out, kernel, options, other));
    }
  }
  std::optional<Explanation> explanation;
  if (extras.explain || extras.explain_plot) explanation = Explain(model);
  cli::Results results;
  results.document = cli::FitDocument(report, seed, extras.explain ? explanation : std::nullopt, comparison);
  AddExtras(call, extras, model, loaded, explanation, results);
  KeepModel(call, keep, model, results.document);
  return results.document;
}

}  // namespace instantgp::serve

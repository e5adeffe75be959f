// POST /v1/search
#include "instantgp/search/search.h"

#include <algorithm>

#include "apps/cli/report/documents.h"
#include "apps/cli/report/model_output.h"
#include "apps/serve/api/diagnostics.h"
#include "apps/serve/api/endpoints.h"
#include "apps/serve/api/tables.h"
#include "instantgp/base/stopwatch.h"

namespace instantgp::serve {

Json Search(Call& call) {
  Fields& fields = call.fields;
  const std::uint64_t seed = fields.Seed();
  SearchOptions options;
  options.beam = fields.Int("beam", 1, 1000, options.beam);
  options.depth = fields.Int("depth", 0, 100, options.depth);
  options.refine_top = fields.Int("refine_top", 0, 1000, options.refine_top);
  options.max_addends = fields.Int("max_addends", 1, 10, options.max_addends);
  // A search that would take longer than a request may ends in time with the best it has found.
  const double most = 0.8 * call.limits.seconds;
  const double asked = fields.Number("budget", 0, 1e9).value_or(0);
  options.budget = asked > 0 ? std::min(asked, most) : most;
  const ModelExtras extras = ReadExtras(fields);
  const bool keep = fields.Flag("keep", true);
  const bool stream = fields.Flag("stream");
  const cli::LoadedData loaded = LoadTable(fields, call.limits, seed, [](const Dataset&) {});
  fields.CheckAllUsed();
  CheckCost(loaded.train, {}, call.limits);
  const Stopwatch clock;
  if (stream && call.request.stream) {
    options.progress = [&](int evaluated, int round) {
      call.streamed = true;
      call.request.stream(Json({{"progress",
                                 {{"evaluated", evaluated},
                                  {"round", round},
                                  {"of", std::max(1, options.depth)},
                                  {"ms", clock.Milliseconds()}}}})
                              .dump());
    };
  }
  Session session(ReadSession(call, call.threads));
  const SearchResult result = SearchStructures(session, loaded.train, options);
  const cli::FitReport report = cli::ReportOn(result.model, result.warnings, loaded, false);
  std::optional<Explanation> explanation;
  if (extras.explain || extras.explain_plot) explanation = Explain(result.model);
  cli::Results results;
  results.document = cli::SearchDocument(result, report, seed, extras.explain ? explanation : std::nullopt);
  AddExtras(call, extras, result.model, loaded, explanation, results);
  KeepModel(call, keep, result.model, results.document);
  return results.document;
}

}  // namespace instantgp::serve

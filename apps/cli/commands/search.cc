// `instantgp search`: which structure fits a table.
#include "instantgp/search/search.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "apps/cli/options/common.h"
#include "apps/cli/options/data_options.h"
#include "apps/cli/options/session.h"
#include "apps/cli/report/documents.h"
#include "apps/cli/report/model_output.h"
#include "apps/cli/terminal/progress.h"
#include "apps/cli/terminal/terminal.h"
#include "instantgp/base/diagnosis.h"

namespace instantgp::cli {
namespace {

constexpr char kSearchHelp[] = "Search for the structure that fits a table best.";

constexpr char kSearchExamples[] =
    R"(Starts from the default fit (SE on every column), then from other structures on all columns and single symbols on
each column; then adds, swaps and drops symbols on one column or on all, and keeps the best structures of each round.
However small the budget, the result has at least the evidence of the default fit. The score is the negative log evidence
per point, smaller is better: by BIC at the network's parameters, or by Laplace's approximation for structures that were
refined. Refined structures come first. Those whose total evidence is within two nats of the best are too close for
Laplace's approximation to tell apart and are ranked by NLML. A structure that the budget left unrefined stands before
them where its BIC is better.

Examples:
  instantgp search --example --holdout 0.2 --plot best.svg
  instantgp search data.csv --target price --budget 5 --model price.gp
  instantgp search data.csv --explain --explain-plot components.svg
  instantgp search data.csv --beam 10 --depth 6 --refine-top 20 --json)";

struct SearchArguments {
  CommonOptions common;
  DataOptions data;
  std::string weights;
  SearchOptions search;
  int top = 10;
  ExplainOptions explain;
};

std::string CandidatesText(const SearchResult& result, int top) {
  std::vector<std::vector<std::string>> rows = {{"", "kernel", "score", "NLML", "parameters", "by"}};
  std::string words;
  const int shown = std::min(top, static_cast<int>(result.candidates.size()));
  for (int k = 0; k < shown; ++k) {
    const Candidate& c = result.candidates[k];
    const std::string number = std::to_string(k + 1);
    rows.push_back({number, c.kernel_short, Short(c.score), Short(c.nlml), std::to_string(c.parameters),
                    c.refined ? "refine" : "oneshot"});
    words += std::string(4 - std::min<std::size_t>(3, number.size()), ' ') + number + "  " + OneLine(c.words) + "\n";
  }
  std::string out = Heading("Structures, best first (per point, standardised y)") + "\n" + FormatTable(rows, 2);
  if (shown < static_cast<int>(result.candidates.size())) {
    out += "  and " + std::to_string(result.candidates.size() - shown) + " more\n";
  }
  return out + "\n" + Heading("In words") + "\n" + words;
}

void RunSearch(const SearchArguments& options) {
  const LoadedData loaded = LoadData(options.data, "search", options.common.seed, [](const Dataset&) {});
  SearchOptions search = options.search;
  CommandSession session(options.common, options.weights);
  std::optional<Progress> progress(std::in_place, "rounds", options.common.quiet);
  search.progress = [&](int, int round) { progress->Update(round, std::max(1, search.depth)); };
  const SearchResult result = SearchStructures(*session, loaded.train, search);
  progress.reset();
  const Model& model = result.model;

  const FitReport report = ReportOn(model, result.warnings, loaded, options.common.verbose);
  Results results;
  const std::optional<Explanation> explanation = AddModelOutput(model, loaded, options.data, options.explain, results);
  if (options.common.json) {
    results.document = SearchDocument(result, report, options.common.seed, explanation);
  } else {
    results.text = CandidatesText(result, options.top) + "\n" + ReportText(report);
    if (options.explain.print) results.text += "\n" + ExplanationText(*explanation, model.target_name());
  }
  Deliver(std::move(results), options.data, options.common, model.target_name());
}

}  // namespace

void RegisterSearch(CLI::App& app, Selected& selected) {
  auto options = std::make_shared<SearchArguments>();
  CLI::App* command = app.add_subcommand("search", kSearchHelp);
  AddTableOptions(*command, options->data);
  SearchOptions& search = options->search;
  command->add_option("--beam", search.beam, "Structures whose neighbours are tried in each round [5]")
      ->type_name("B")
      ->check(CLI::Range(1, 1000));
  command->add_option("--depth", search.depth, "Maximum rounds after the beginnings [4]")
      ->type_name("D")
      ->check(CLI::Range(0, 100));
  command->add_option("--budget", search.budget, "Time limit for everything, in seconds [0: none]")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, 1e9));
  command->add_option("--refine-top", search.refine_top, "How many of the best structures to refine [8]")
      ->type_name("K")
      ->check(CLI::Range(0, 1000));
  command->add_option("--max-addends", search.max_addends, "Maximum addends on one column [4]")
      ->type_name("N")
      ->check(CLI::Range(1, 10));
  command->add_option("--top", options->top, "Rows of the printed table [10]")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  command->add_option("--weights", options->weights, "Network weights [the embedded ones]")->type_name("FILE");
  AddExplainOptions(*command, options->explain);
  AddResultOptions(*command, options->data);
  AddCommonOptions(*command, options->common);
  command->footer(kSearchExamples);
  command->callback([options, &selected] { selected.run = [options] { RunSearch(*options); }; });
}

}  // namespace instantgp::cli

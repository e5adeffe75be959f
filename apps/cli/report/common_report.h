// What the reports on a model and on an ensemble have in common.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/options/common.h"
#include "apps/cli/options/data_options.h"
#include "instantgp/data/recipe.h"
#include "instantgp/model/model.h"

namespace instantgp::cli {

struct HeldOut {
  Scores scores;
  int rows = 0;
};

struct CommonReport {
  std::string source;  // file name, or what stands for it
  std::optional<HeldOut> held_out;
  bool verbose = false;
  std::vector<std::string> warnings;  // the model's and the command's
};

// With the scores of the rows that were held out. `fitted` is a Model or an Ensemble.
template <typename Fitted>
CommonReport ReportOnData(const Fitted& fitted, const std::vector<std::string>& warnings, const LoadedData& loaded,
                          bool verbose) {
  CommonReport report{loaded.source, std::nullopt, verbose, warnings};
  report.warnings.insert(report.warnings.end(), loaded.notes.begin(), loaded.notes.end());
  if (loaded.held_out) {
    report.held_out = HeldOut{fitted.Score(loaded.held_out->X, loaded.held_out->y), loaded.held_out->rows()};
  }
  return report;
}

// "29 rows: RMSE ..."
std::string HeldOutText(const HeldOut& held_out, const std::string& target);
// A section of its own; empty without warnings.
std::string WarningsText(const std::vector<std::string>& warnings);

// What the columns of the table are, one a line: a section of its own; empty without a recipe (may be null).
std::string ColumnsText(const Recipe* recipe);
Json ColumnsJson(const Recipe& recipe);

// "holdout" (where rows were held out), "time_ms" and "warnings", as every JSON report has them.
void AddHeldOut(const CommonReport& report, Json& j);
void AddTimesAndWarnings(const TimeSplit& times, const CommonReport& report, Json& j);

}  // namespace instantgp::cli

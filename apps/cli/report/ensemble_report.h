// What `ensemble` and `info` say about an ensemble.
#pragma once

#include <string>
#include <vector>

#include "apps/cli/options/common.h"
#include "apps/cli/report/common_report.h"
#include "instantgp/model/ensemble.h"

namespace instantgp::cli {

// Verbose: all members; otherwise those without weight are counted only.
struct EnsembleReport : CommonReport {
  const Ensemble* ensemble = nullptr;
  std::vector<Scores> member_scores;  // of the rows held out, in the order of the members; or empty
};

// With the scores of the rows that were held out; `ensemble` must outlive the report.
EnsembleReport ReportOn(const Ensemble& ensemble, const LoadedData& loaded, bool verbose);

std::string ReportText(const EnsembleReport& report);
// Without "schema".
Json ReportJson(const EnsembleReport& report);

}  // namespace instantgp::cli

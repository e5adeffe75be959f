// What `fit` and `info` say about a model, as text for people and as JSON for programs.
#pragma once

#include <string>

#include "apps/cli/options/common.h"
#include "apps/cli/report/common_report.h"
#include "instantgp/model/model.h"

namespace instantgp::cli {

struct FitReport : CommonReport {
  const Model* model = nullptr;
};

std::string ReportText(const FitReport& report);
// Without "schema"; predictions and file names are added by the command.
Json ReportJson(const FitReport& report);

// Lines shared with `info`: data, kernel, method, likelihood.
std::string ModelSummaryText(const Model& model, const std::string& source);
// The parameter table with the noise and the amplitude.
std::string ParameterTableText(const Model& model);

}  // namespace instantgp::cli

// What `fit` and `info` say about a model, as text for people and as JSON for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/options/common.h"
#include "instantgp/model/model.h"

namespace instantgp::cli {

struct FitReport {
  std::string source;  // file name, or what stands for it
  const Model* model = nullptr;
  std::optional<Scores> holdout;
  int holdout_rows = 0;
  bool verbose = false;
  std::vector<std::string> warnings;  // the model's and the command's
};

std::string ReportText(const FitReport& report);
// Without "schema"; predictions and file names are added by the command.
Json ReportJson(const FitReport& report);

// Lines shared with `info`: data, kernel, method, likelihood.
std::string ModelSummaryText(const Model& model, const std::string& source);
// The parameter table with the noise and the amplitude.
std::string ParameterTableText(const Model& model);

}  // namespace instantgp::cli

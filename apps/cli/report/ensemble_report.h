// What `ensemble` and `info` say about an ensemble.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/options/common.h"
#include "instantgp/model/ensemble.h"

namespace instantgp::cli {

struct EnsembleReport {
  std::string source;
  const Ensemble* ensemble = nullptr;
  std::optional<Scores> holdout;
  std::vector<Scores> member_holdout;  // in the order of the members, or empty
  int holdout_rows = 0;
  bool verbose = false;  // all members; otherwise those without weight are counted only
  std::vector<std::string> warnings;
};

std::string ReportText(const EnsembleReport& report);
// Without "schema".
Json ReportJson(const EnsembleReport& report);

}  // namespace instantgp::cli

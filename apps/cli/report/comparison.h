// `fit --compare`: other methods on the same rows, side by side with the fit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/options/common.h"
#include "instantgp/data/dataset.h"
#include "instantgp/model/session.h"

namespace instantgp::cli {

struct ComparedFit {
  std::string method;
  std::string status = "ok";  // or why the fit failed
  double nlml = 0;            // per point
  std::optional<Scores> holdout;
  double milliseconds = 0;
  int evaluations = 0;
};

// "ml,multistart" as methods; Error(kUsage) naming the one that does not exist.
std::vector<Method> MethodsFromList(const std::string& list);

ComparedFit Compared(const Model& model, const Dataset* held_out);
// Fits with `options` but another method. A fit that fails becomes a row with its reason; an interruption is passed on.
ComparedFit FitForComparison(Session& session, const Dataset& train, const Dataset* held_out, const std::string& kernel,
                             FitOptions options, Method method);

Json ComparisonJson(const std::vector<ComparedFit>& fits);
// Times also as multiples of the first row's.
std::string ComparisonText(const std::vector<ComparedFit>& fits);

}  // namespace instantgp::cli

#include "apps/cli/report/comparison.h"

#include "apps/cli/report/predictions.h"
#include "apps/cli/terminal/remedies.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"

namespace instantgp::cli {

std::vector<Method> MethodsFromList(const std::string& list) {
  std::vector<Method> methods;
  std::vector<std::string> names = SplitAtCommas(list);
  if (names.empty()) names.emplace_back();  // no method either
  for (const std::string& name : names) {
    const std::optional<Method> method = MethodFromName(name);
    if (!method) {
      throw Error(ErrorCode::kUsage,
                  "--compare: there is no method '" + OneLine(name) + "'; choose from " + ListMethods());
    }
    methods.push_back(*method);
  }
  return methods;
}

ComparedFit Compared(const Model& model, const Dataset* held_out) {
  ComparedFit row;
  row.method = model.summary().method;
  row.nlml = model.summary().nlml;
  row.milliseconds = model.summary().time_ms.total;
  row.evaluations = model.summary().evaluations;
  if (held_out != nullptr) row.holdout = model.Score(held_out->X, held_out->y);
  return row;
}

ComparedFit FitForComparison(Session& session, const Dataset& train, const Dataset* held_out, const std::string& kernel,
                             FitOptions options, Method method) {
  options.method = method;
  if (method != Method::kRefine) options.map = false;
  try {
    return Compared(session.Fit(train, kernel, options), held_out);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kInterrupted) throw;
    ComparedFit row;
    row.method = Name(method);
    row.status = error.what();
    const std::string flags = Flags(error.remedies());
    if (!flags.empty()) row.status += " (" + flags + ")";
    return row;
  }
}

Json ComparisonJson(const std::vector<ComparedFit>& fits) {
  Json list = Json::array();
  for (const ComparedFit& fit : fits) {
    Json j;
    j["method"] = fit.method;
    j["status"] = fit.status;
    if (fit.status == "ok") {
      j["nlml_per_point"] = fit.nlml;
      if (fit.holdout) j["holdout"] = ScoresToJson(*fit.holdout);
      j["time_ms"] = fit.milliseconds;
      j["evaluations"] = fit.evaluations;
    }
    list.push_back(std::move(j));
  }
  return list;
}

std::string ComparisonText(const std::vector<ComparedFit>& fits) {
  std::vector<std::vector<std::string>> rows = {{"method", "NLML", "time in ms", "time ratio"}};
  const bool scored = !fits.empty() && fits[0].holdout.has_value();
  if (scored) {
    rows[0].insert(rows[0].begin() + 2, {"held-out RMSE", "held-out NLL", "in 95% interval"});
  }
  for (const ComparedFit& fit : fits) {
    if (fit.status != "ok") {
      rows.push_back({fit.method, "failed: " + OneLine(fit.status)});
      rows.back().resize(rows[0].size());
      continue;
    }
    std::vector<std::string> row = {fit.method, Short(fit.nlml)};
    if (scored) {
      row.push_back(Short(fit.holdout->rmse_standardized));
      row.push_back(Short(fit.holdout->nll_standardized));
      row.push_back(Short(100 * fit.holdout->coverage95) + "%");
    }
    row.push_back(Short(fit.milliseconds));
    row.push_back(Short(fit.milliseconds / fits[0].milliseconds));
    rows.push_back(std::move(row));
  }
  return FormatTable(rows, 1);
}

}  // namespace instantgp::cli

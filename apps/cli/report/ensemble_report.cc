#include "apps/cli/report/ensemble_report.h"

#include <cstdio>

#include "apps/cli/report/fit_report.h"
#include "apps/cli/report/predictions.h"
#include "apps/cli/terminal/terminal.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/base/version.h"
#include "instantgp/gp/posterior.h"

namespace instantgp::cli {
namespace {

constexpr std::size_t kAlwaysShown = 10;

std::string WeightText(double weight) {
  char text[32];
  std::snprintf(text, sizeof text, weight >= 0.001 || weight == 0 ? "%.1f%%" : "%.0e%%", 100 * weight);
  return text;
}

std::string MembersText(const EnsembleReport& report) {
  const Ensemble& ensemble = *report.ensemble;
  const bool scored = !report.member_scores.empty();
  std::vector<std::vector<std::string>> rows = {{"kernel", "weight", "NLML"}};
  if (scored) rows[0].insert(rows[0].end(), {"held-out RMSE", "NLL"});
  rows[0].push_back("ms");
  std::size_t hidden = 0;
  for (std::size_t k = 0; k < ensemble.members().size(); ++k) {
    const EnsembleMember& member = ensemble.members()[k];
    if (!report.verbose && k >= kAlwaysShown && member.weight < 0.001) {
      ++hidden;
      continue;
    }
    rows.push_back({member.model.KernelShortText(), WeightText(member.weight), Short(member.model.summary().nlml)});
    if (scored) {
      rows.back().push_back(Short(report.member_scores[k].rmse_standardized));
      rows.back().push_back(Short(report.member_scores[k].nll_standardized));
    }
    rows.back().push_back(Short(member.model.summary().time_ms.total));
  }
  for (const FailedMember& member : ensemble.failed()) rows.push_back({member.kernel, "failed"});
  std::string out = FormatTable(rows, 1);
  if (hidden > 0) out += "  and " + Count(static_cast<long>(hidden), "member") + " below 0.1% (--verbose lists all)\n";
  return out;
}

}  // namespace

EnsembleReport ReportOn(const Ensemble& ensemble, const LoadedData& loaded, bool verbose) {
  EnsembleReport report{ReportOnData(ensemble, ensemble.warnings(), loaded, verbose), &ensemble, {}};
  if (!loaded.held_out) return report;
  for (const EnsembleMember& member : ensemble.members()) {
    report.member_scores.push_back(member.model.Score(loaded.held_out->X, loaded.held_out->y));
  }
  return report;
}

std::string ReportText(const EnsembleReport& report) {
  const Ensemble& ensemble = *report.ensemble;
  const EnsembleSummary& summary = ensemble.summary();
  std::string weights_by(Name(summary.weighting));
  if (summary.weighting == Weighting::kTempered) weights_by += " (temperature " + Short(summary.temperature) + ")";
  const TimeSplit& t = summary.time_ms;
  std::vector<std::vector<std::string>> rows = {
      {"data", report.source + ": " + Count(ensemble.rows(), "row") + ", " + Count(ensemble.columns(), "input") +
                   ", target " + OneLine(ensemble.target_name())},
      {"members", std::to_string(ensemble.members().size()) + ", fitted by " + summary.method + "; effective number " +
                      Short(ensemble.EffectiveMembers())},
      {"weighted by", weights_by}};
  if (report.held_out) rows.push_back({"held out", HeldOutText(*report.held_out, ensemble.target_name())});
  std::string time = Short(t.total) + " ms";
  if (t.encode > 0) {
    time += " (encoding " + Short(t.encode) + ", decoding " + Short(t.decode) + ", fits " + Short(t.factorize) +
            ", weights " + Short(t.optimize) + ")";
  }
  rows.push_back({"time", time});
  std::string out = Heading("Ensemble") + "\n" + FormatTable(rows, 2) + ColumnsText(ensemble.recipe()) + "\n" +
                    Heading("Members (per point, standardised y)") + "\n" + MembersText(report);
  return out + WarningsText(report.warnings);
}

Json ReportJson(const EnsembleReport& report) {
  const Ensemble& ensemble = *report.ensemble;
  const EnsembleSummary& summary = ensemble.summary();
  Json j;
  j["version"] = kVersion;
  j["data"] = report.source;
  j["method"] = summary.method;
  j["weights_by"] = Name(summary.weighting);
  if (summary.weighting == Weighting::kTempered) j["temperature"] = summary.temperature;
  j["n"] = ensemble.rows();
  j["d"] = ensemble.columns();
  j["columns"] = ensemble.column_names();
  j["target"] = ensemble.target_name();
  if (ensemble.recipe() != nullptr) j["table"] = ColumnsJson(*ensemble.recipe());
  j["effective_members"] = ensemble.EffectiveMembers();
  j["members"] = Json::array();
  for (std::size_t k = 0; k < ensemble.members().size(); ++k) {
    const EnsembleMember& member = ensemble.members()[k];
    Json item = {{"kernel", member.model.KernelText()},
                 {"kernel_short", member.model.KernelShortText()},
                 {"weight", member.weight},
                 {"nlml_per_point", member.model.summary().nlml},
                 {"log_marginal_likelihood", member.model.posterior().log_marginal_likelihood()},
                 {"averaged_over", member.model.AveragedOver()},
                 {"time_ms", member.model.summary().time_ms.total},
                 {"status", "ok"}};
    if (!report.member_scores.empty()) item["holdout"] = ScoresToJson(report.member_scores[k]);
    j["members"].push_back(std::move(item));
  }
  for (const FailedMember& member : ensemble.failed()) {
    j["members"].push_back({{"kernel", member.kernel},
                            {"weight", 0.0},
                            {"nlml_per_point", nullptr},
                            {"status", "failed: " + member.reason}});
  }
  AddHeldOut(report, j);
  AddTimesAndWarnings(summary.time_ms, report, j);
  return j;
}

}  // namespace instantgp::cli

#include "apps/cli/report/common_report.h"

#include "apps/cli/report/predictions.h"
#include "apps/cli/terminal/terminal.h"
#include "instantgp/base/diagnosis.h"

namespace instantgp::cli {

std::string HeldOutText(const HeldOut& held_out, const std::string& target) {
  return Count(held_out.rows, "row") + ": " + ScoresToText(held_out.scores, OneLine(target));
}

std::string WarningsText(const std::vector<std::string>& warnings) {
  if (warnings.empty()) return "";
  std::string text = "\n" + Heading("Warnings") + "\n";
  for (const std::string& warning : warnings) text += "  " + warning + "\n";
  return text;
}

void AddHeldOut(const CommonReport& report, Json& j) {
  if (!report.held_out) return;
  j["holdout"] = ScoresToJson(report.held_out->scores);
  j["holdout"]["n"] = report.held_out->rows;
}

void AddTimesAndWarnings(const TimeSplit& times, const CommonReport& report, Json& j) {
  j["time_ms"] = {{"scale", times.scale},       {"encode", times.encode},       {"decode", times.decode},
                  {"optimize", times.optimize}, {"factorize", times.factorize}, {"total", times.total}};
  j["warnings"] = report.warnings;
}

}  // namespace instantgp::cli

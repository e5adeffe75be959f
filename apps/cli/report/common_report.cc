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

std::string ColumnsText(const Recipe* recipe) {
  if (recipe == nullptr) return "";
  std::vector<std::vector<std::string>> rows;
  for (const ColumnRecipe& column : recipe->columns) rows.push_back({OneLine(column.name), InWords(column)});
  return "\n" + Heading("Columns") + "\n" + FormatTable(rows, 2);
}

Json ColumnsJson(const Recipe& recipe) {
  Json list = Json::array();
  const std::vector<std::string> names = recipe.InputNames();
  auto next = names.begin();
  for (const ColumnRecipe& column : recipe.columns) {
    Json j = {{"column", column.name}, {"kind", Name(column.kind)}};
    j["inputs"] = std::vector<std::string>(next, next + column.inputs());
    next += column.inputs();
    if (column.kind == ColumnKind::kDate) {
      j["format"] = column.form.format;
      j["step"] = column.step.empty() ? Json() : Json(column.step);
      j["unit"] = column.calendar.step().Plural();
      j["zero"] = DateText(column.form, column.calendar.first());
    }
    if (column.kind == ColumnKind::kCategory) {
      j["levels"] = column.levels;
      if (!column.rare.empty()) j["other"] = column.rare.size();
    }
    if (column.indicator) {
      j["gaps"] = column.gaps;
      if (column.kind != ColumnKind::kCategory) j["filled_by"] = *column.fill;
    }
    list.push_back(std::move(j));
  }
  return list;
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

#include "apps/cli/options/table_input.h"

#include <cmath>

namespace instantgp::cli {
namespace {

template <typename Fitted>
std::optional<Scores> ScoreKnown(const Fitted& fitted, const NewRows& rows) {
  if (!rows.y) return std::nullopt;
  std::vector<Index> known;
  for (Index i = 0; i < rows.y->size(); ++i) {
    if (std::isfinite((*rows.y)[i])) known.push_back(i);
  }
  if (known.empty()) return std::nullopt;
  return fitted.Score(rows.X(known, Eigen::all), (*rows.y)(known));
}

}  // namespace

void AddRowOptions(CLI::App& command, RowOptions& options) {
  command.add_option("--missing", options.missing, "Rows with missing inputs: error, drop or impute [error]")
      ->type_name("POLICY")
      ->check(CLI::IsMember({"error", "drop", "impute"}));
  command
      .add_option("--unseen", options.unseen,
                  "Levels of a category that the training rows lack: error, or other [error]")
      ->type_name("POLICY")
      ->check(CLI::IsMember({"error", "other"}));
}

MissingPolicy MissingFromName(const std::string& name) {
  if (name == "impute") return MissingPolicy::kImpute;
  return name == "drop" ? MissingPolicy::kDrop : MissingPolicy::kError;
}

UnseenPolicy UnseenFromName(const std::string& name) {
  return name == "other" ? UnseenPolicy::kOther : UnseenPolicy::kError;
}

std::vector<std::string> NotesOn(const NewRows& rows) {
  std::vector<std::string> notes;
  if (rows.dropped > 0) notes.push_back(Count(rows.dropped, "row") + " with missing values left out");
  notes.insert(notes.end(), rows.notes.begin(), rows.notes.end());
  return notes;
}

std::optional<Scores> ScoreRows(const Model& model, const NewRows& rows) { return ScoreKnown(model, rows); }
std::optional<Scores> ScoreRows(const Ensemble& ensemble, const NewRows& rows) { return ScoreKnown(ensemble, rows); }

}  // namespace instantgp::cli

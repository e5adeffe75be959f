// Rows to predict at: options, and scores where their targets are known.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/options/common.h"
#include "instantgp/data/new_rows.h"
#include "instantgp/model/ensemble.h"
#include "instantgp/model/model.h"

namespace instantgp::cli {

// --missing and --unseen, as given.
struct RowOptions {
  std::string missing = "error", unseen = "error";
};
void AddRowOptions(CLI::App& command, RowOptions& options);

MissingPolicy MissingFromName(const std::string& name);  // "error", "drop" or "impute"
UnseenPolicy UnseenFromName(const std::string& name);    // "error" or "other"

// Rows of a file for a Model or an Ensemble.
template <typename Fitted>
NewRows RowsFor(const Fitted& fitted, const std::string& path, const RowOptions& options) {
  return ReadNewRows(path, {fitted.column_names(), fitted.target_name(), fitted.recipe()},
                     {MissingFromName(options.missing), UnseenFromName(options.unseen)});
}

// Tables of rows that are longer are read, predicted and written in pieces of this size where they can be: small enough
// to say how far it is every few seconds.
inline constexpr std::size_t kStreamBytes = std::size_t{1} << 20;

// What to tell about rows that were left out, filled in or taken as other.
std::vector<std::string> NotesOn(const NewRows& rows);

// Of the rows whose target is known; nullopt when there is none.
std::optional<Scores> ScoreRows(const Model& model, const NewRows& rows);
std::optional<Scores> ScoreRows(const Ensemble& ensemble, const NewRows& rows);

}  // namespace instantgp::cli

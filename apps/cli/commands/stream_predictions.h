// Predictions of tables of any length: read, predicted and written in pieces.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "instantgp/data/csv.h"
#include "instantgp/model/ensemble.h"
#include "instantgp/model/model.h"
#include "instantgp/model/scores.h"

namespace instantgp::cli {

struct StreamRequest {
  std::string rows;    // a file, or "-"
  std::string output;  // a file, or empty or "-" for standard output
  UnseenPolicy unseen = UnseenPolicy::kError;
  bool latent = false;
  int threads = 0;
  bool quiet = false;
};

struct StreamResult {
  std::optional<Scores> scores;    // of the rows whose target is known
  std::vector<std::string> notes;  // on rows, each once
};

// Writes mean, std, lower95 and upper95, and says how far it is. Memory does not grow with the table. A file appears
// under its name when all of it is written.
StreamResult StreamPredictions(const Model& model, const StreamRequest& request);
StreamResult StreamPredictions(const Ensemble& ensemble, const StreamRequest& request);

}  // namespace instantgp::cli

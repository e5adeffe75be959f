// Predictions of tables of any length: read, predicted and written in pieces.
#pragma once

#include <string>

#include "instantgp/data/csv.h"
#include "instantgp/model/ensemble.h"
#include "instantgp/model/model.h"

namespace instantgp::cli {

struct StreamRequest {
  std::string rows;    // a file, or "-"
  std::string output;  // a file, or empty or "-" for standard output
  UnseenPolicy unseen = UnseenPolicy::kError;
  bool latent = false;
  int threads = 0;
  bool quiet = false;
};

// Writes mean, std, lower95 and upper95; scores go to stderr where targets are among the columns. Memory does not grow
// with the table. A file appears under its name when all of it is written.
void StreamPredictions(const Model& model, const StreamRequest& request);
void StreamPredictions(const Ensemble& ensemble, const StreamRequest& request);

}  // namespace instantgp::cli

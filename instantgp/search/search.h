// Which structure fits a table: beam search over the amortised family, scored by one-shot inference.
//
// The table is encoded once; every structure then costs a decoding and a few likelihoods. Candidates are scored by BIC
// at the network's parameters, the best are polished under the priors and ranked by Laplace's evidence (evidence.h).
// The first of them is the default fit (SE on every column, at the parameters Fit finds), so that there is a model as
// good as that one whenever the time is up; structures on all columns follow, then those on single ones.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "instantgp/base/export.h"
#include "instantgp/base/matrix.h"
#include "instantgp/data/dataset.h"
#include "instantgp/model/model.h"
#include "instantgp/model/session.h"

namespace instantgp {

struct INSTANTGP_EXPORT SearchOptions {
  int beam = 5;         // structures whose neighbourhood is tried in a round
  int depth = 4;        // rounds after the beginnings (moves.h)
  double budget = 0;    // seconds for everything; 0: none. What is not done by then is left out
  int refine_top = 8;   // how many of the best are refined
  int max_addends = 4;  // on one column
  std::function<void(int evaluated, int round)> progress = {};

  void Validate() const;  // throws Error(kUsage) naming the option
};

// Larger tables are searched on so many rows, spread over the data; the model is fitted to all.
inline constexpr int kSearchRows = 512;

struct INSTANTGP_EXPORT Candidate {
  std::string kernel;        // canonical text
  std::string kernel_short;  // the shorthand where there is one
  Vector theta;              // log-parameters in the order of Model::Parameters, that of the noise variance last
  double nlml = 0;           // per point
  int parameters = 0;        // identifiable ones
  double score = 0;          // negative log evidence per point: Laplace where refined, else BIC
  bool refined = false;
  double bic = 0;     // of a refined one: its score before
  int round = 0;      // when it was tried first
  std::string words;  // Describe
};

struct INSTANTGP_EXPORT SearchResult {
  // Refined ones by score, then the others by score. Refined ones within two nats of the best evidence, which Laplace's
  // approximation cannot tell apart, stand before the rest by likelihood. What was not refined, for want of time,
  // stands before them where its BIC is better than theirs. The evidence of the first is never below that of the
  // default fit: by Laplace where both were refined, else by BIC.
  std::vector<Candidate> candidates;
  // The first candidate on all rows. Of its time_ms, decode is the search and optimize the refinement.
  Model model;
  int evaluated = 0;  // structures scored, each once
  int failed = 0;     // of these, without a likelihood
  int rounds = 0;
  bool out_of_time = false;
  std::vector<std::string> warnings;
};

// Nothing is random: the result depends neither on threads nor, for the structures that were reached, on the budget.
// Throws what Fit throws, so Error(kLimit) where the exact model on all rows would exceed the session's memory limit;
// Error(kNumerical) when no structure can be evaluated.
INSTANTGP_EXPORT SearchResult SearchStructures(Session& session, const Dataset& data,
                                               const SearchOptions& options = {});
// In a session of its own.
INSTANTGP_EXPORT SearchResult SearchStructures(const Dataset& data, const SearchOptions& options = {},
                                               const SessionOptions& session = {});

}  // namespace instantgp

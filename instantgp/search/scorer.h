// Parameters and scores of structures, given one encoding. Internal to search/.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/inference/encoding.h"
#include "instantgp/inference/row_sample.h"
#include "instantgp/inference/trained_network.h"
#include "instantgp/kernel/log_parameters.h"
#include "instantgp/kernel/structure.h"
#include "instantgp/search/periods.h"
#include "instantgp/search/search.h"

namespace instantgp {

// A candidate and what it is made of.
struct ScoredStructure : Candidate {
  Structure structure;
};

// What a structure to be scored is a neighbour of.
struct Parent {
  ScoredStructure candidate;                      // empty at the beginning
  std::vector<std::vector<PeriodGuess>> periods;  // of each column, beside those the candidate has; once looked for
};

struct Trial {
  Structure structure;
  std::shared_ptr<Parent> parent;
};

// Whether a structure has a PER its parent has not: it waits until the parent's periods have been looked for.
bool HasNewPeriods(const Trial& trial);

// Const methods may run in parallel with a workspace each.
class Scorer {
 public:
  Scorer(const Encoding& encoding, const TrainedNetwork& network, std::stop_token stop);

  // BIC at the best of: the hypotheses `decoded` (p + 1, K) by the network, these with the periods of the parent and of
  // its list wherever a PER is new, and what parent and child share at the parent's parameters. nullopt when none can
  // be evaluated.
  std::optional<ScoredStructure> Score(const Trial& trial, const Matrix& decoded, NlmlWorkspace& workspace) const;

  // BIC at the best of the columns of theta, on all rows; nullopt when none can be evaluated.
  std::optional<ScoredStructure> At(const Structure& structure, const Matrix& theta, NlmlWorkspace& workspace) const;

  // The candidate at its parent's parameters, wherever the two agree, should these be better: a structure may be met
  // again from a parent that knows more than the one it was scored with.
  void Reconsider(ScoredStructure& candidate, const ScoredStructure& parent, NlmlWorkspace& workspace) const;

  // A few optimiser steps, on part of the rows; the score stays a BIC.
  void Polish(ScoredStructure& candidate, NlmlWorkspace& workspace) const;
  // To the mode of the posterior, where Laplace's approximation belongs; left as it is where that fails.
  void Refine(ScoredStructure& candidate) const;
  // What Refine will take, from the time of one gradient.
  double RefinementMs(const ScoredStructure& candidate, NlmlWorkspace& workspace) const;

  // Periods for a PER on `column` beside what the candidate has; at the beginning (no structure) in a plain context and
  // in a fitted one, which FitContext() must have made. `late` as for LikelyPeriods.
  std::vector<PeriodGuess> Periods(const ScoredStructure& candidate, int column,
                                   const std::function<bool()>& late) const;
  void FitContext();

  // The rows scores are of.
  const RowSample& rows() const { return all_; }

 private:
  struct Scored {
    LogParameters theta;  // at the closed-form scale; empty when nothing could be evaluated
    double nlml = 0;
  };

  // Takes theta over, at the closed-form scale, where its likelihood on all rows is better.
  void Adopt(ScoredStructure& candidate, const LogParameters& theta, NlmlWorkspace& workspace) const;
  Scored Best(const Covariance& covariance, const Structure& structure, const Matrix& hypotheses, const RowSample& rows,
              NlmlWorkspace& workspace) const;

  const Encoding& encoding_;
  std::optional<ClosedFormScale> scale_;
  std::stop_token stop_;
  RowSample all_;         // those that are searched on
  RowSample some_;        // enough of them to compare hypotheses
  RowSample few_;         // enough to look for periods
  RowSample brief_;       // enough for a step in the right direction
  PeriodContext fitted_;  // where there are several columns
};

}  // namespace instantgp

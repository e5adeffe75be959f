// How a run begins: from nothing, from weights, or from its own checkpoint.
#pragma once

#include <string>

#include "instantgp/network/network.h"
#include "instantgp/training/checkpoint.h"
#include "instantgp/training/config.h"

namespace instantgp {

// The share of the leg's budget spent, in [0, 1].
double ProgressOf(const TrainingConfig& config, const TrainingState& state);

// Random weights, or those of config.init_from: a network of the same architecture, perhaps with fewer hypotheses
// (network/more_hypotheses.h); Error(kBadInput) otherwise. Creates the
// folder unless its name is empty; Error(kUsage) when it already holds a run, Error(kFailure) when it cannot be
// created.
TrainingState FirstState(const TrainingConfig& config, const Network<float>& network, const std::string& folder);

// The checkpoint's state. Network and seed must be those of `config`, else Error(kBadInput). A run that was finished
// under its own budget and now has more starts a new leg.
TrainingState ResumedState(const TrainingConfig& config, const std::string& folder);

}  // namespace instantgp

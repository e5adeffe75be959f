// The smallest networks that have every part, with random weights: their answers are nonsense, which a fit must
// survive, and come in microseconds.
#pragma once

#include "instantgp/network/weights.h"

namespace instantgp::fuzz {

NetworkConfig SmallestConfig();      // of the structured family
NetworkConfig SmallestAhgpConfig();  // of the AHGP baseline
NetworkWeights RandomNetwork(const NetworkConfig& config, bool with_steps);

}  // namespace instantgp::fuzz

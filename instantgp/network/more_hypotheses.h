// A trained network that is to decode more hypotheses than it has learned.
#pragma once

#include <cstdint>

#include "instantgp/network/weights.h"

namespace instantgp {

// Hypothesis k of the new network starts as hypothesis k mod K of the given one, which has K; its embedding is moved by
// normal noise of a tenth of its size, so that the copies can part. Hypotheses below K and all other weights stay. A
// network of one hypothesis has no embedding: its new ones are noise around zero. `hypotheses` must not be below K, and
// an ahgp network, which decodes one alone, is returned as it is.
NetworkWeights WithMoreHypotheses(const NetworkWeights& given, int hypotheses, std::uint64_t seed);

}  // namespace instantgp

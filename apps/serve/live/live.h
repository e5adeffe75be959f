// The drawing on the page: a message holds points and kernels, the answer what every kernel makes of them.
//
//   {"seq": 7, "points": [[0.1, 1.2], ...], "held_out": [[0.9, 0.4], ...], "kernels": ["SE", "PER + LIN"],
//    "low": 0, "high": 1, "grid": 160, "samples": 0, "seed": 0}
//
// The table is encoded once for all kernels. A kernel that is wrong, or cannot be fitted, says so in its place and is
// no obstacle to the others. The answer carries the message's "seq", so that the page can tell old from new.
#pragma once

#include <memory>

#include "apps/serve/http/handler.h"
#include "apps/serve/options.h"

namespace instantgp::serve {

std::unique_ptr<LiveSession> MakeLiveSession(const Limits& limits, int threads);

}  // namespace instantgp::serve

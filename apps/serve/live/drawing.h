// A message of the live page, checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "apps/serve/options.h"
#include "instantgp/data/dataset.h"

namespace instantgp::serve {

struct Drawing {
  std::int64_t seq = 0;
  Dataset data;      // one input, x
  Dataset held_out;  // may have no rows
  std::vector<std::string> kernels;
  Matrix grid;  // (m, 1), where to predict
  int samples = 0;
  std::uint64_t seed = 0;
  bool follow = false;  // a hand is moving something: from the parameters of the answer before, which is quicker
};

// Throws Error and HttpError as the other requests do.
Drawing ReadDrawing(std::string_view message, const Limits& limits);

}  // namespace instantgp::serve

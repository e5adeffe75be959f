// Where the polish of `refine` starts.
//
// The best hypothesis is not always the one with the best optimum behind it, and a few steps tell. On a part of the
// rows they cost next to nothing: each hypothesis goes a few steps there, and the best of the ends and the one-shot
// point, by the likelihood of all rows, is where the polish on all rows begins.
#pragma once

#include <optional>

#include "instantgp/base/matrix.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/baselines/type2_ml.h"
#include "instantgp/kernel/structure.h"
#include "instantgp/predict/hypothesis.h"

namespace instantgp {

inline constexpr int kScoutRows = 160;
inline constexpr int kScoutSteps = 10;

struct ScoutedStart {
  Vector theta;
  int evaluations = 0;
};

// theta (p + 1, K) are the hypotheses before the closed-form scale, `one_shot` the parameters chosen among them.
// `options` says whether with priors. The same for any pool, which may be null.
ScoutedStart ScoutStarts(const Structure& structure, const Matrix& X, const Vector& y, const Matrix& theta,
                         const std::optional<ClosedFormScale>& scale, const Vector& one_shot,
                         const Type2Options& options, ThreadPool* pool);

}  // namespace instantgp

// The polish of `refine`.
//
// A few steps of L-BFGS must do, so two things are found out beforehand on a part of the rows, where they cost next to
// nothing. The best hypothesis is not always the one with the best optimum behind it: every hypothesis and the standard
// start go some steps there, and the end with the best likelihood on all rows is polished beside the one-shot
// point. And L-BFGS starts without curvature: the Hessian of the part, by differences of gradients, makes the
// likelihood of all rows round for it.
#pragma once

#include <optional>

#include "instantgp/base/matrix.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/inference/ranking.h"
#include "instantgp/inference/type2_ml.h"
#include "instantgp/kernel/structure.h"

namespace instantgp {

// The part, and the steps of a start on it. A gradient costs n^3: at 160 rows a quarter of what it costs at 250, a
// thirtieth of what it costs at 500. Not measured.
inline constexpr int kScreeningRows = 160;
inline constexpr int kScreeningSteps = 8;

// theta (p + 1, K) are the hypotheses before the closed-form scale, `one_shot` the parameters chosen among them.
// `options` are those of the polish, and its pool serves all of refine. The better end of the two polishes, by what
// FitType2 minimises, and where more than kBothSteps are allowed, the end of its further steps; evaluations count all
// rows only. The same for any pool.
Type2Result Refine(const Structure& structure, const Matrix& X, const Vector& y, const Matrix& theta,
                   const std::optional<ClosedFormScale>& scale, const LogParameters& one_shot,
                   const Type2Options& options);

}  // namespace instantgp

// The polish of `refine`: second-order steps on all rows, from the one-shot point to a minimum.
//
// Where optima lie far apart, with periods or several addends of a column, the best hypothesis is not always the one
// with the best optimum behind it: every hypothesis and the standard start then go some steps on a part of the rows,
// where they cost next to nothing, and the end with the best likelihood on all rows is polished beside the one-shot
// point. With SE on every column that found nothing better on eleven tables and took half of the time; with few rows,
// where it costs little, the standard start is polished too.
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
// On tables of 50 to 200 rows the one-shot point alone ended 0.01 to 0.03 nats per row above type-2 ML in four of
// fifteen splits; the optima that few rows leave are many.
inline constexpr int kMostRowsFromBothStarts = 250;

// theta (p + 1, K) are the hypotheses before the closed-form scale, `one_shot` the parameters chosen among them.
// `options` are those of the polish, and its pool serves all of refine. The better end of the polishes, by what
// FitType2 minimises; evaluations count all rows only. The same for any pool.
Type2Result Refine(const Structure& structure, const Matrix& X, const Vector& y, const Matrix& theta,
                   const std::optional<ClosedFormScale>& scale, const LogParameters& one_shot,
                   const Type2Options& options);

}  // namespace instantgp

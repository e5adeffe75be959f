// The polish of `refine`: second-order steps on all rows, from the one-shot point to a minimum.
#pragma once

#include <cstddef>

#include "instantgp/base/matrix.h"
#include "instantgp/inference/type2_ml.h"
#include "instantgp/kernel/expression.h"
#include "instantgp/kernel/log_parameters.h"

namespace instantgp {

// With up to so many rows refine starts from the best of the spread, not from the end of one-shot's steps, which cost
// as much there as its own and are held back. On 15 splits of five tables with up to 200 rows and SE, MAT52 + LIN and
// SE + LIN + PER, 40 instead of 39 of 45 ends are as good as type-2 ML's or better, in nine tenths of the time.
inline constexpr int kMostRowsWithoutOneShotSteps = 250;

// From so many columns on, as with few rows, optima are many. From the one-shot point alone, of 12 splits of six tables
// with SE and 268 to 500 rows one ended above type-2 ML by more than 0.003 nats a row, by 0.19, and that has 32
// columns; from two starts none.
inline constexpr std::size_t kColumnsWithManyOptima = 16;

// From the one-shot point and, with few rows or many columns, from `other`, where another start ended (OneShot), or, if
// that is empty, from the standard start. The better end, by what FitType2 minimises; evaluations count all. The same
// for any pool.
Type2Result Refine(const Expression& expression, const Matrix& X, const Vector& y, const LogParameters& one_shot,
                   const LogParameters& other, const Type2Options& options);

}  // namespace instantgp

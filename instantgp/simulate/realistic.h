// What measured tables have and the sampling distribution lacks.
//
// Under the priors every column matters (lengthscales near 0.4), so that with many columns a table is close to white
// noise, the noise is rarely small, and periods are rarely short. Measured tables have columns that hardly matter, long
// lengthscales, little noise, many cycles of a period, columns of few levels or crowded towards one end, single columns
// of equal steps (time), and targets that are centred. A share of the training data is drawn that way; the distribution
// itself, and everything that is validated on it, stays as it is.
#pragma once

#include "instantgp/base/matrix.h"
#include "instantgp/base/rng.h"
#include "instantgp/kernel/expression.h"
#include "instantgp/kernel/log_parameters.h"

namespace instantgp {

// Half of the columns get lengthscales 3 to 30 times as long, the others 1 to 5 times, a single column 1/20 to 5 times
// (that of a PER, which has no unit, stays); half of the columns have periods 1 to 10 times as short; the noise
// variance is divided by 1 to 1000.
void MakeParametersRealistic(const Expression& expression, RandomStream& random, LogParameters& theta);

// Some columns of X (n, d) in [0,1] keep 2 to 12 levels, some are bent towards an end by a power; a single column may
// take equal steps.
void MakeInputsRealistic(RandomStream& random, Matrix& X);

}  // namespace instantgp

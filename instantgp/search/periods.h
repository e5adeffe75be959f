// Periods worth trying, from the data alone.
//
// The likelihood of a period has many narrow optima, and a network that has read the data at a few frequencies may
// point beside the right one. On a hundred rows a likelihood costs tens of microseconds, so all frequencies can be
// tried.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/kernel/log_parameters.h"
#include "instantgp/kernel/structure.h"

namespace instantgp {

// Of a PER kernel on inputs in [0, 1].
struct PeriodGuess {
  double period = 0;
  double lengthscale = 0;  // on the sine: small for waves with many harmonics
};

// What the rest of the model is while a period is looked for.
struct PeriodContext {
  Structure structure;
  LogParameters theta;
};

// (SE on every column): smooth, little noise.
PeriodContext PlainContext(int columns);
// The plain context with its parameters fitted to the data.
PeriodContext FittedContext(const Matrix& X, const Vector& y);
// Such a context made smooth along `column`: what it knows of the others must not hide a wave along this one, and what
// it knows of this one may be the wave itself.
PeriodContext SmoothAlong(int column, PeriodContext context);

// The best `count` of all local optima along the frequency, best first, of the likelihood of a context with a wave
// added on `column` at the amplitude the column has already (or multiplied, where the context does not use the column).
// The wave is SE*PER and PER, the latter with several lengthscales if `thorough`. Frequencies go
// up to 32 cycles over [0, 1]. The overall scale is at its optimum. X (n, d) scaled and y standardised: a hundred rows
// are enough. `late` (may be empty) is asked before every scan, and ends the work with what it has when it says so.
std::vector<PeriodGuess> LikelyPeriods(std::span<const PeriodContext> contexts, const Matrix& X, const Vector& y,
                                       int column, int count, bool thorough, const std::function<bool()>& late = {});

}  // namespace instantgp

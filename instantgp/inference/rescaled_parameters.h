// Parameters that were found on rows scaled anew, in the units those rows came in.
#pragma once

#include "instantgp/base/matrix.h"
#include "instantgp/data/scaler.h"
#include "instantgp/kernel/expression.h"

namespace instantgp {

// theta (p + 1, K): logarithms, the noise's last. `fresh` maps the outer units to those of theta. LIN's zero moves with
// the smallest x; the offset takes up what that adds at the old zero.
Matrix InOuterUnits(const Expression& expression, const Matrix& theta, const Scaler& fresh);

}  // namespace instantgp

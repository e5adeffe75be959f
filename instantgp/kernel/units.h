// How parameters change when inputs and targets change their units.
#pragma once

#include <vector>

#include "instantgp/base/matrix.h"
#include "instantgp/kernel/expression.h"

namespace instantgp {

// Multiplying the whole kernel by a factor f means multiplying leaf i's variance (and LIN's offset) by f^share[i].
// A sum passes f to every term; a product shares it evenly over its columns, and within one column the first factor
// carries all of it. Depth-first leaf order. The network's y-scale equivariance uses the same rule.
std::vector<double> AmplitudeShares(const Expression& expression);

// The parameters (table order, not logarithms) of the same kernel in other units: columns x_k -> offset_k + range_k x_k
// and targets y -> shift + y_scale y. Periods and lengthscales are multiplied by range_k, but for PER's: its
// lengthscale is measured on the sine, has no unit and stays. The variances of LIN and IOU, which are those of a slope,
// are divided by range_k^2, that of WIE, which is one per unit of x, by range_k; all three apply to x_k - offset_k.
// Amplitudes take their share of y_scale^2.
Vector InOriginalUnits(const Expression& expression, const Vector& parameters, const Vector& ranges, double y_scale);

// One number for the amplitude. The variances themselves are not unique (each symbol has its own, and columns
// multiply), so this is the prior variance k(x, x) at the centre x = 1/2 of the scaled cube, in scaled units.
double CollapsedAmplitude(const Expression& expression, const Vector& parameters);

}  // namespace instantgp

// What is asked of a Gaussian process at new rows, what it says of rows left out, and how good that was.
#pragma once

#include "instantgp/base/matrix.h"

namespace instantgp {

enum class Noise { kObserved, kLatent };  // with the noise variance added, or without

struct LeaveOneOut {
  Vector mean;      // mu_i = y_i - alpha_i / [A^-1]_ii
  Vector variance;  // 1 / [A^-1]_ii, observed
  double nll = 0;   // mean negative log density of y_i under its left-out prediction
};

struct Scores {
  double rmse = 0, nll = 0;                            // of the mean; user's units
  double rmse_standardized = 0, nll_standardized = 0;  // y standardised by the training part
  double coverage95 = 0;
};

}  // namespace instantgp

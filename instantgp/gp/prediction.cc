#include "instantgp/gp/prediction.h"

#include "instantgp/base/normal.h"

namespace instantgp {

Vector Prediction::Lower(double probability) const { return mean - NormalQuantile(0.5 + probability / 2) * std; }

Vector Prediction::Upper(double probability) const { return mean + NormalQuantile(0.5 + probability / 2) * std; }

}  // namespace instantgp

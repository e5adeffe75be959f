#include "instantgp/optimize/hessian.h"

namespace instantgp {

std::optional<Matrix> HessianByDifferences(FirstOrderFunction& function, const Vector& x, double step,
                                           Differences differences) {
  double value = 0;
  Vector here, up, down;
  const bool central = differences == Differences::kCentral;
  if (!central && !function.Evaluate(x, &value, &here)) return std::nullopt;
  Matrix H(x.size(), x.size());
  for (Index i = 0; i < x.size(); ++i) {
    Vector moved = x;
    moved[i] = x[i] + step;
    if (!function.Evaluate(moved, &value, &up)) return std::nullopt;
    if (central) {
      moved[i] = x[i] - step;
      if (!function.Evaluate(moved, &value, &down)) return std::nullopt;
      H.col(i) = (up - down) / (2 * step);
    } else {
      H.col(i) = (up - here) / step;
    }
  }
  return Matrix(0.5 * (H + H.transpose()));
}

}  // namespace instantgp

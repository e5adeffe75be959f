#include "instantgp/optimize/hessian.h"

namespace instantgp {

std::optional<Matrix> HessianByDifferences(FirstOrderFunction& function, const Vector& x, double step) {
  double value = 0;
  Vector up, down;
  Matrix H(x.size(), x.size());
  for (Index i = 0; i < x.size(); ++i) {
    Vector moved = x;
    moved[i] = x[i] + step;
    if (!function.Evaluate(moved, &value, &up)) return std::nullopt;
    moved[i] = x[i] - step;
    if (!function.Evaluate(moved, &value, &down)) return std::nullopt;
    H.col(i) = (up - down) / (2 * step);
  }
  return Matrix(0.5 * (H + H.transpose()));
}

}  // namespace instantgp

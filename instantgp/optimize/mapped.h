// A function in other coordinates: f(origin + T z) as a function of z.
//
// L-BFGS starts with no idea of the curvature and spends its first steps on finding out. With T = H^-1/2, H the Hessian
// near the start, the function is round for it from the first step.
#pragma once

#include <utility>

#include "instantgp/optimize/objective.h"

namespace instantgp {

class MappedFunction final : public FirstOrderFunction {
 public:
  MappedFunction(FirstOrderFunction& f, Vector origin, Matrix T)
      : f_(f), origin_(std::move(origin)), T_(std::move(T)) {}

  int size() const override { return static_cast<int>(T_.cols()); }
  bool Evaluate(const Vector& z, double* value, Vector* gradient) override {
    x_ = Original(z);
    if (!f_.Evaluate(x_, value, gradient)) return false;
    if (gradient != nullptr) *gradient = (T_.transpose() * *gradient).eval();
    return true;
  }
  Vector Original(const Vector& z) const { return origin_ + T_ * z; }

 private:
  FirstOrderFunction& f_;
  Vector origin_;
  Matrix T_;
  Vector x_;
};

}  // namespace instantgp

// The oracle of the Gaussian process: every formula as written, in any scalar type, without a thought for speed.
//
//   A = K + s2 I = L L^T,  alpha = A^-1 y
//   NLML/n = ( 1/2 y^T alpha + sum_i log L_ii ) / n + 1/2 log 2 pi
//   mean = k*^T alpha,  latent variance = k** - |L^-1 k*|^2
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "tests/support/naive_kernel.h"

namespace instantgp::testing {

template <typename T>
using Rows = std::vector<std::vector<T>>;

// theta = (log kernel parameters in table order, log noise variance); the rows of X have d values.
template <typename T>
class NaiveGp {
 public:
  NaiveGp(const Expression& expression, const Rows<T>& X, const std::vector<T>& y, const std::vector<T>& theta)
      : expression_(expression), X_(X), y_(y), alpha_(y) {
    using std::exp;
    for (const T& log_parameter : theta) parameters_.push_back(exp(log_parameter));
    Factorize();
    SolveLower(alpha_);
    for (std::size_t i = y.size(); i-- > 0;) {
      for (std::size_t j = i + 1; j < y.size(); ++j) alpha_[i] -= L_[j][i] * alpha_[j];
      alpha_[i] /= L_[i][i];
    }
  }

  T Nlml() const {
    using std::acos;
    using std::log;
    T total = 0;
    for (std::size_t i = 0; i < y_.size(); ++i) total += y_[i] * alpha_[i] / 2 + log(L_[i][i]);
    return total / static_cast<int>(y_.size()) + log(2 * acos(T(-1))) / 2;
  }

  T Mean(const std::vector<T>& x) const {
    T mean = 0;
    for (std::size_t i = 0; i < X_.size(); ++i) mean += Kernel(x, X_[i]) * alpha_[i];
    return mean;
  }

  T LatentVariance(const std::vector<T>& x) const {
    std::vector<T> k;
    for (const std::vector<T>& row : X_) k.push_back(Kernel(x, row));
    SolveLower(k);
    T variance = Kernel(x, x);
    for (const T& value : k) variance -= value * value;
    return variance;
  }

 private:
  T Kernel(const std::vector<T>& x, const std::vector<T>& z) const {
    return NaiveKernel<T>(expression_, x, z, parameters_);
  }

  void Factorize() {
    using std::sqrt;
    const std::size_t n = X_.size();
    L_.assign(n, std::vector<T>(n, T(0)));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        T value = Kernel(X_[i], X_[j]);
        if (i == j) value += parameters_.back();
        for (std::size_t k = 0; k < j; ++k) value -= L_[i][k] * L_[j][k];
        L_[i][j] = i == j ? T(sqrt(value)) : T(value / L_[j][j]);
      }
    }
  }

  void SolveLower(std::vector<T>& b) const {
    for (std::size_t i = 0; i < b.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) b[i] -= L_[i][j] * b[j];
      b[i] /= L_[i][i];
    }
  }

  const Expression& expression_;
  const Rows<T>& X_;
  const std::vector<T>& y_;
  std::vector<T> parameters_;  // not logarithms; the noise variance last
  Rows<T> L_;
  std::vector<T> alpha_;
};

}  // namespace instantgp::testing

// The oracle: k(x, x') read off the expression tree, one formula after another, in any scalar type.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "instantgp/base/check.h"
#include "instantgp/kernel/expression.h"

namespace instantgp::testing {

// Takes its parameters (not logarithms; table order) from `parameters` at `position` on and moves the position behind
// them.
template <typename T>
T NaiveElementary(Elementary symbol, const T& x, const T& z, const std::vector<T>& parameters, std::size_t& position) {
  using std::abs;
  using std::acos;
  using std::exp;
  using std::sin;
  using std::sqrt;
  const T variance = parameters.at(position++);
  if (symbol == Elementary::kBIAS) return variance;
  if (symbol == Elementary::kWIE) return variance * (abs(x) + abs(z) - abs(T(x - z))) / 2;
  const T second = parameters.at(position++);  // lengthscale, or LIN's offset
  switch (symbol) {
    case Elementary::kSE:
      return variance * exp(-(x - z) * (x - z) / (2 * second * second));
    case Elementary::kLIN:
      return variance * x * z + second;
    case Elementary::kPER: {
      const T period = parameters.at(position++);
      const T sine = sin(acos(T(-1)) * (x - z) / period);
      return variance * exp(-sine * sine / (2 * second * second));
    }
    case Elementary::kMAT52: {
      const T s = sqrt(T(5)) * abs(T(x - z)) / second;
      return variance * (1 + s + s * s / 3) * exp(-s);
    }
    case Elementary::kMAT12:
      return variance * exp(-abs(T(x - z)) / second);
    case Elementary::kIOU: {
      const auto f = [&](const T& r) { return T(abs(r) / second - 1 + exp(-abs(r) / second)); };
      return variance * second * second * (f(x) + f(z) - f(x - z));
    }
    case Elementary::kWIE:
    case Elementary::kBIAS:
      break;
  }
  INSTANTGP_CHECK(false);
  return T(0);
}

template <typename T>
T NaiveKernelAt(const Expression& e, const std::vector<T>& x, const std::vector<T>& z, const std::vector<T>& parameters,
                std::size_t& position) {
  if (e.op == Expression::Op::kLeaf) {
    const auto column = static_cast<std::size_t>(e.column);
    return NaiveElementary<T>(e.symbol, x.at(column), z.at(column), parameters, position);
  }
  T value = e.op == Expression::Op::kSum ? T(0) : T(1);
  for (const Expression& term : e.terms) {
    const T part = NaiveKernelAt<T>(term, x, z, parameters, position);
    if (e.op == Expression::Op::kSum) {
      value += part;
    } else {
      value *= part;
    }
  }
  return value;
}

// k(x, x') for the rows x and z (d values each); parameters (not logarithms) in table order, more may follow.
template <typename T>
T NaiveKernel(const Expression& e, const std::vector<T>& x, const std::vector<T>& z, const std::vector<T>& parameters) {
  std::size_t position = 0;
  return NaiveKernelAt<T>(e, x, z, parameters, position);
}

}  // namespace instantgp::testing

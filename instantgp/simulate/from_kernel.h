// A dataset from a kernel text, with parameters as far as they are given.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "instantgp/kernel/expression.h"
#include "instantgp/simulate/distribution.h"

namespace instantgp {

struct KernelRequest {
  std::string kernel;  // over x1, x2, ...
  int n = 100;
  std::optional<int> d;                  // without: as few columns as the kernel can be bound to
  std::vector<double> parameters;        // all of the kernel's in table order, or none: drawn from their priors
  std::optional<double> noise_variance;  // without: drawn from its prior

  // Throws Error(kUsage) naming the field, Error(kLimit) when the covariance of n rows would not fit the memory.
  void Validate() const;
};

struct KernelDraw {
  Expression expression;
  SimulatedFunction function;
};

// Dataset `index` of a run with this seed. Throws what ParseKernel and SimulateFunction throw, Error(kUsage) when the
// number of parameters does not fit.
KernelDraw SimulateKernel(const KernelRequest& request, std::uint64_t seed, std::uint64_t index);

}  // namespace instantgp

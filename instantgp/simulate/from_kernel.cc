#include "instantgp/simulate/from_kernel.h"

#include <cmath>
#include <cstdio>

#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/kernel/parse.h"

namespace instantgp {
namespace {

constexpr double kMemoryLimit = 8.0 * 1024 * 1024 * 1024;  // of the three n x n matrices of a draw
constexpr std::uint32_t kPriorStream = 1u << 16;           // apart from the draw's own streams

void CheckPositive(double value, const char* what) {
  if (value > 0 && std::isfinite(value)) return;
  char text[128];
  std::snprintf(text, sizeof text, "%s, got %g", what, value);
  throw Error(ErrorCode::kUsage, text);
}

// The smallest number of columns the kernel can be bound to: the largest x<k> in it must exist, a shorthand takes any.
int ColumnsFor(const KernelRequest& request) {
  if (request.d) return *request.d;
  constexpr int kMost = 64;
  std::string complaint;
  for (int d = 1; d <= kMost; ++d) {
    try {
      ParseKernel(request.kernel, DefaultColumnNames(d));
      return d;
    } catch (const Error& error) {
      if (d == 1) complaint = error.what();
    }
  }
  throw Error(ErrorCode::kBadInput, complaint);
}

void CheckCount(const ParameterTable& table, std::size_t given) {
  if (given == 0 || given == table.size()) return;
  std::string names;
  for (const Parameter& p : table) {
    names += (names.empty() ? "" : ", ") + std::string(Name(p.elementary)) + "(x" + std::to_string(p.column + 1) +
             ") " + std::string(Name(p.kind));
  }
  throw Error(ErrorCode::kUsage,
              "the kernel has " + std::to_string(table.size()) + " parameter" + (table.size() == 1 ? "" : "s") + " (" +
                  names + "), but " + std::to_string(given) + (given == 1 ? " was" : " were") + " given",
              {{"parameters"}});
}

}  // namespace

void KernelRequest::Validate() const {
  if (n < 1) throw Error(ErrorCode::kUsage, "n must be at least 1, got " + std::to_string(n), {{"n"}});
  if (d && *d < 1) throw Error(ErrorCode::kUsage, "d must be at least 1, got " + std::to_string(*d), {{"d"}});
  for (const double value : parameters) CheckPositive(value, "parameters must be positive numbers");
  if (noise_variance) CheckPositive(*noise_variance, "the noise must be a positive variance");
  if (3.0 * 8 * n * n > kMemoryLimit) {
    throw Error(ErrorCode::kLimit, std::to_string(n) + " rows need more memory than the limit allows; use at most " +
                                       std::to_string(static_cast<int>(std::sqrt(kMemoryLimit / 24))));
  }
}

KernelDraw SimulateKernel(const KernelRequest& request, std::uint64_t seed, std::uint64_t index) {
  request.Validate();
  const int d = ColumnsFor(request);
  Expression expression = ParseKernel(request.kernel, DefaultColumnNames(d));
  const ParameterTable table(expression);
  CheckCount(table, request.parameters.size());
  RandomStream random(seed, index, kPriorStream);
  LogParameters theta = DrawFromPrior(table, random);
  for (std::size_t i = 0; i < request.parameters.size(); ++i) {
    theta[static_cast<Index>(i)] = std::log(request.parameters[i]);
  }
  if (request.noise_variance) theta.noise() = std::log(*request.noise_variance);
  SimulatedFunction function = SimulateFunction(expression, request.n, d, seed, index, theta);
  return {std::move(expression), std::move(function)};
}

}  // namespace instantgp

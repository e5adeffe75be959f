#include "instantgp/model/methods.h"

#include <algorithm>
#include <array>

#include "instantgp/base/check.h"

namespace instantgp {
namespace {

// Matrices: the factor and its copy in the model; an optimiser's work matrix and gradient besides. Evaluations are
// round numbers of the right size for announcing what a fit on thousands of rows will take.
constexpr std::array<MethodInfo, 9> kMethods = {{
    {Method::kOneShot, "oneshot", "one-shot", "predicted by the network", true, false, false, 2, 0},
    {Method::kRefine, "refine", "one-shot + refine", "predicted by the network, then second-order steps", true, false,
     false, 3, 50},
    {Method::kMl, "ml", "GP-ML (L-BFGS)", "type-2 maximum likelihood, L-BFGS", false, false, false, 3, 50},
    {Method::kAdam, "adam", "GP-ML (Adam)", "type-2 maximum likelihood, Adam", false, false, false, 3, 50},
    {Method::kMultiStart, "multistart", "GP-ML (multi-start)", "type-2 maximum likelihood, Adam from several starts",
     false, false, true, 3, 150},
    {Method::kMap, "map", "MAP (L-BFGS)", "maximum a posteriori, L-BFGS", false, false, false, 3, 50},
    {Method::kSvgp, "svgp", "SVGP", "sparse variational, Adam", false, true, false, 0, 300},
    {Method::kAhgp, "ahgp", "AHGP-SE-ARD", "AHGP-SE-ARD, the AHGP baseline: SE on every column", true, false, false, 2,
     0},
    {Method::kNeighbours, "neighbours", "neighbours",
     "read by the network at several scales, predictions from the nearest rows", true, false, false, 0, 0},
}};

}  // namespace

std::span<const MethodInfo> Methods() { return kMethods; }

const MethodInfo& InfoOf(Method method) {
  const MethodInfo& info = kMethods[static_cast<std::size_t>(method)];
  INSTANTGP_CHECK(info.method == method);
  return info;
}

std::string_view Name(Method method) { return InfoOf(method).name; }

std::optional<Method> MethodFromName(std::string_view name) {
  const auto* found =
      std::find_if(kMethods.begin(), kMethods.end(), [&](const MethodInfo& info) { return info.name == name; });
  if (found == kMethods.end()) return std::nullopt;
  return found->method;
}

std::string ListMethods() {
  std::string list;
  for (const MethodInfo& info : kMethods) list += (list.empty() ? "" : ", ") + std::string(info.name);
  return list;
}

}  // namespace instantgp

// The ways to come to parameters, in one table that everything reads: options, reports, cost, figures, records.
#pragma once

#include <span>
#include <string_view>

#include "instantgp/model/options.h"

namespace instantgp {

struct MethodInfo {
  Method method;
  std::string_view name;   // what users say: "oneshot"
  std::string_view title;  // in tables and figures: "one-shot"
  std::string_view how;    // in a report: "predicted by the network"
  bool uses_network;
  bool sparse;              // inducing points in place of exact algebra
  bool starts_from_priors;  // draws several starts; `evaluations` is for each of them
  int matrices;     // n x n doubles held at once at the peak; 0 for a sparse one, whose memory has its own formula
  int evaluations;  // likelihoods with gradients that a fit typically takes; 0: one factorisation is all
};

std::span<const MethodInfo> Methods();
const MethodInfo& InfoOf(Method method);

}  // namespace instantgp

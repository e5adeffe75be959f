// Fits many structures to one table: one encoding, one batch of decoded parameters, then every structure by itself.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "instantgp/data/dataset.h"
#include "instantgp/inference/encoding.h"
#include "instantgp/model/ensemble.h"
#include "instantgp/model/fit.h"
#include "instantgp/model/weighting.h"

namespace instantgp {

struct EnsembleOptions {
  // Method, network, threads, ... of the members. `threads` are shared out over the structures, each of which is worked
  // on by one; `progress` counts structures.
  FitOptions fit = {};
  Weighting weighting = Weighting::kBma;
  double temperature = 0;  // kTempered; 0: sqrt(n), half way (on a log scale) from BMA's 1 to n, a softmax per point

  void Validate() const;  // throws Error(kUsage) naming the option
};

// The 24 structures of the comparisons (kernel/structure_list.h) as kernel texts.
std::vector<std::string> BuiltInKernels();

// The kernels may be any the method can fit; the same one twice counts once (with a warning). The result depends
// neither on their order nor on the threads. A member that cannot be fitted for numerical reasons is left out with a
// warning and the weights are those of the rest. Throws what Fit throws, with the kernel named; Error(kNumerical) when
// no member is left, Error(kLimit) when the factors of all members do not fit the memory limit.
Ensemble FitEnsemble(const Dataset& data, std::span<const std::string> kernels, const EnsembleOptions& options = {});

// Methods oneshot and refine from an encoding that is kept, which has read every column the kernels use.
Ensemble FitEnsembleEncoded(const Encoding& encoding, std::span<const std::string> kernels,
                            const EnsembleOptions& options = {});

}  // namespace instantgp

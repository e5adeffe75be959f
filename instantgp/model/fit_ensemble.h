// Fits many structures to one table: one encoding, one batch of decoded parameters, then every structure by itself.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "instantgp/base/export.h"
#include "instantgp/data/dataset.h"
#include "instantgp/model/ensemble.h"
#include "instantgp/model/session.h"

namespace instantgp {

struct INSTANTGP_EXPORT EnsembleOptions {
  FitOptions fit = {};  // of each member; `progress` counts members. The session's threads take a member each
  Weighting weighting = Weighting::kBma;
  double temperature = 0;  // kTempered; 0: sqrt(n), half way (on a log scale) from BMA's 1 to n, a softmax per point

  void Validate() const;  // throws Error(kUsage) naming the option
};

// The 24 structures of the comparisons (kernel/structure_list.h) as kernel texts.
INSTANTGP_EXPORT std::vector<std::string> BuiltInKernels();

// The kernels may be any the method can fit; the same one twice counts once (with a warning). The result depends
// neither on their order nor on the threads. A member that cannot be fitted for numerical reasons is left out with a
// warning and the weights are those of the rest. Throws what Fit throws, with the kernel named; Error(kNumerical) when
// no member is left, Error(kLimit) when the factors of all members do not fit the memory limit.
INSTANTGP_EXPORT Ensemble FitEnsemble(Session& session, const Dataset& data, std::span<const std::string> kernels,
                                      const EnsembleOptions& options = {});
// Methods that ask the network, from an encoding of the session that has read every column the kernels use.
INSTANTGP_EXPORT Ensemble FitEnsemble(Session& session, const Encoding& encoding, std::span<const std::string> kernels,
                                      const EnsembleOptions& options = {});
// In a session of its own.
INSTANTGP_EXPORT Ensemble FitEnsemble(const Dataset& data, std::span<const std::string> kernels,
                                      const EnsembleOptions& options = {}, const SessionOptions& session = {});

}  // namespace instantgp

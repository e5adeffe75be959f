// From a table and a kernel text to a fitted model: the facade of library, command line and Python.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "instantgp/base/thread_pool.h"
#include "instantgp/data/dataset.h"
#include "instantgp/inference/encoding.h"
#include "instantgp/inference/trained_network.h"
#include "instantgp/kernel/structure.h"
#include "instantgp/model/model.h"

namespace instantgp {

enum class Method { kOneShot, kRefine, kMl, kAdam, kMultiStart, kMap, kSvgp, kAhgp };
std::string_view Name(Method method);
// nullopt when there is no such method. `ListMethods()` is "oneshot, refine, ml, ..." for messages.
std::optional<Method> MethodFromName(std::string_view name);
std::string ListMethods();

struct FitOptions {
  Method method = Method::kOneShot;
  int steps = 0;      // 0: the method's default
  bool map = false;   // refine: with the log priors, as map does
  int restarts = 10;  // multistart
  int inducing = 0;   // svgp: inducing points; 0: half the rows
  std::uint64_t seed = 0;
  int threads = 0;  // 0: as the machine has
  // oneshot, refine: threads to work on in place of own ones, which take a tenth of a millisecond to start and end. For
  // fits one after another, not for two at once. The result does not depend on them.
  ThreadPool* pool = nullptr;
  std::stop_token stop = {};
  std::function<void(int done, int of)> progress = {};  // called after every start of a multi-start

  // oneshot, refine; null: TrainedNetwork::Embedded(). ahgp; null: TrainedNetwork::EmbeddedAhgp(), which knows SE only.
  const TrainedNetwork* network = nullptr;

  void Validate() const;  // throws Error(kUsage) naming the option
};

// What a fit may take: three n x n doubles for an exact one, n x inducing and some for a sparse one.
inline constexpr double kExactMemoryLimit = 8.0 * 1024 * 1024 * 1024;

// What a fit will take, known before it starts.
struct FitCost {
  double bytes = 0;    // of matrices at the peak
  double seconds = 0;  // a rough estimate: operations of one factorisation, at 20 GFLOP/s, times the factorisations
};
FitCost EstimateCost(int n, const FitOptions& options);

// Throws Error: kBadInput for the kernel or data (and for a kernel outside the amortised family with oneshot or
// refine), kLimit when n is too large (with the number and the alternative), kNumerical when no parameters could be
// evaluated, kInterrupted when `stop` was requested.
Model Fit(const Dataset& data, std::string_view kernel, const FitOptions& options = {});

// Methods oneshot and refine from an encoding that is kept: `options.network` must be the one that made it.
Model FitEncoded(const Encoding& encoding, std::string_view kernel, const FitOptions& options = {});

// The same with the network's answer at hand: theta is one of TrainedNetwork::Decode(encoding, structures).
Model FitDecoded(const Encoding& encoding, const Structure& structure, const Matrix& theta,
                 const FitOptions& options = {});

// The structure a network can answer for; else Error(kBadInput) that says why it cannot and names --method ml.
Structure AmortisedStructure(const Expression& expression, const std::vector<std::string>& column_names, Method method);

// What is worth telling about a table whatever is fitted to it: constant columns or target, hardly any rows.
std::vector<std::string> DataWarnings(const Dataset& data, const Scaler& scaler);

}  // namespace instantgp

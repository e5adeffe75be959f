#include "apps/cli/options/session.h"

#include <optional>

#include "apps/cli/terminal/interrupt.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"
#include "instantgp/model/methods.h"

namespace instantgp::cli {

CommandSession::CommandSession(const CommonOptions& common, const std::string& weights)
    : network_(weights.empty() ? nullptr : LoadNetwork(weights)),
      session_({.network = network_.get(), .threads = common.threads, .stop = StopToken()}) {}

Method ResolveMethod(const std::string& name) {
  if (const std::optional<Method> method = MethodFromName(name)) return *method;
  throw Error(ErrorCode::kUsage, "there is no method '" + OneLine(name) + "'; use one of " + ListMethods());
}

void CheckWeights(const std::string& weights, Method method) {
  if (weights.empty() || (InfoOf(method).uses_network && method != Method::kAhgp)) return;
  throw Error(ErrorCode::kUsage,
              "--weights goes with the methods oneshot and refine, not " + std::string(Name(method)));
}

}  // namespace instantgp::cli

#include "apps/cli/options/session.h"

#include "apps/cli/terminal/interrupt.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"

namespace instantgp::cli {
namespace {

SessionOptions ToSessionOptions(const CommonOptions& common, const std::string& weights,
                                std::optional<TrainedNetwork>& network) {
  SessionOptions options;
  if (!weights.empty()) options.network = &network.emplace(TrainedNetwork::Load(weights));
  options.threads = common.threads;
  options.stop = StopToken();
  return options;
}

}  // namespace

CommandSession::CommandSession(const CommonOptions& common, const std::string& weights)
    : session_(ToSessionOptions(common, weights, network_)) {}

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

// The session of a command: --threads, --weights and Ctrl-C, resolved once.
#pragma once

#include <memory>
#include <string>

#include "apps/cli/options/common.h"
#include "instantgp/model/session.h"

namespace instantgp::cli {

class CommandSession {
 public:
  // `weights`: a file, or empty for the network inside the program.
  CommandSession(const CommonOptions& common, const std::string& weights);
  Session& operator*() { return session_; }

 private:
  std::shared_ptr<const TrainedNetwork> network_;  // null: the one inside the program
  Session session_;
};

// --method; Error(kUsage) listing the names.
Method ResolveMethod(const std::string& name);
// --weights goes with the methods that ask the structured network.
void CheckWeights(const std::string& weights, Method method);

}  // namespace instantgp::cli

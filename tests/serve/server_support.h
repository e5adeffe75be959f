// Shared by the tests of the service.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/server_process.h"

namespace instantgp::testing {

// The program under test, at a free port.
struct RunningServer : ServerProcess {
  explicit RunningServer(std::vector<std::string> arguments = {}, int port = 0)
      : ServerProcess(INSTANTGP_CLI, std::move(arguments), port) {}
};

}  // namespace instantgp::testing

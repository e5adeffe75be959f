// Shared by the tests of the service.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "instantgp/base/blas_kernels.h"
#include "tests/support/server_process.h"

namespace instantgp::testing {

// The program under test, at a free port. The test computes on the same BLAS kernels, so that both may have the same
// bits: on a processor that OpenBLAS does not know the program chooses others than it would.
struct RunningServer : ServerProcess {
  explicit RunningServer(std::vector<std::string> arguments = {}, int port = 0)
      : ServerProcess(INSTANTGP_CLI, std::move(arguments), port) {
    ChooseBlasKernels();
  }
};

}  // namespace instantgp::testing

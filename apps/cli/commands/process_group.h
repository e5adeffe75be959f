// The processes this one works with: those of an MPI job, or itself alone.
#pragma once

#include <memory>

#include "instantgp/training/communicator.h"

namespace instantgp::cli {

// Under mpirun (or srun) loads the MPI module from beside the program or from the library folder; Error(kUsage) when
// the program was built without it. Call once, and keep the result until the end of the command.
std::unique_ptr<Communicator> OpenProcessGroup();

}  // namespace instantgp::cli

// The processes this one works with: those of an MPI job, or itself alone.
#pragma once

#include <functional>
#include <memory>

#include "instantgp/training/communicator.h"

namespace instantgp::cli {

// Under mpirun (or srun) loads the MPI module from beside the program or from the library folder; Error(kUsage) when
// the program was built without it. Call once, and keep the result until the end of the command.
std::unique_ptr<Communicator> OpenProcessGroup();

// Runs the work of this process. Where it fails while others wait for it, they would wait for ever: then it says what
// happened and ends them all.
void RunTogether(Communicator& group, const std::function<void()>& work);

}  // namespace instantgp::cli

#include "apps/cli/commands/process_group.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "apps/cli/terminal/terminal.h"
#include "instantgp/base/error.h"

namespace instantgp::cli {
namespace {

// The variables by which launchers tell a process how many there are.
bool StartedByLauncher() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "MV2_COMM_WORLD_SIZE"}) {
    const char* value = std::getenv(name);
    if (value && *value) return true;
  }
  return false;
}

}  // namespace

std::unique_ptr<Communicator> OpenProcessGroup() {
  if (!StartedByLauncher()) return std::make_unique<SingleProcess>();
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  std::string reasons;
  for (const std::filesystem::path& place : {folder, folder / INSTANTGP_MODULE_DIR}) {
    const std::string path = (place / "libinstantgp_mpi.so").string();
    if (!std::filesystem::exists(path, error)) continue;
    // Global symbols: MPI loads parts of itself later and looks for its own there.
    void* module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    using Open = Communicator* (*)();
    const auto open = module ? reinterpret_cast<Open>(::dlsym(module, "InstantgpOpenCommunicator")) : nullptr;
    if (open) return std::unique_ptr<Communicator>(open());
    reasons += std::string("; ") + ::dlerror();
  }
  throw Error(
      ErrorCode::kUsage,
      "started by an MPI launcher, but the MPI module cannot be loaded" + reasons +
          "; install the package instantgp-mpi, or build with INSTANTGP_MPI=ON (Debian: apt install libopenmpi-dev)");
}

void RunTogether(Communicator& group, const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& error) {
    if (group.size() > 1) {
      Message("instantgp: rank " + std::to_string(group.rank()) + ": " + error.what());
      const auto* known = dynamic_cast<const Error*>(&error);
      group.Abort(static_cast<int>(known ? known->code() : ErrorCode::kFailure));
    }
    throw;
  }
}

}  // namespace instantgp::cli

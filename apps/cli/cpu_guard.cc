// Ends the program with a message where it would otherwise die of an illegal instruction.
//
// Compiled for the oldest processor (CMakeLists.txt), and run before every other static initialiser of the program:
// priority 101 is the first one free to users. Only plain C is called, as in base/cpu.cc.
#include <unistd.h>

#include "instantgp/base/cpu.h"

namespace {

[[gnu::constructor(101)]] void RefuseToRunOnAnOlderProcessor() {
  char message[1024] = "instantgp: ";
  constexpr std::size_t kPrefix = sizeof("instantgp: ") - 1;
  std::size_t length = instantgp::DescribeMissingCpuFeatures(
      instantgp::kBuildCpuFeatures, instantgp::MachineCpuFeatures(), message + kPrefix, sizeof(message) - kPrefix - 1);
  if (length == 0) return;
  length += kPrefix;
  message[length++] = '\n';
  // Nothing is left to do about a message that cannot be written.
  static_cast<void>(::write(STDERR_FILENO, message, length) < 0);
  ::_exit(1);
}

}  // namespace

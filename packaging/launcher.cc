// /usr/bin/instantgp of the Debian package: runs the program that was compiled for this processor.
//
// The package holds the program twice, for x86-64-v3 (AVX2, since about 2013) and for x86-64-v2 (SSE4.2, since about
// 2009), each in a folder of that name under ../lib/instantgp. This file is compiled for every processor; what the
// newer program needs it takes from the same table as the program's own check (base/cpu.h). `instantgp info` says which
// one runs.
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "instantgp/base/cpu.h"

int main(int, char** argv) {
  const bool newer = (instantgp::kBuildCpuFeatures & ~instantgp::MachineCpuFeatures()) == 0;
  char self[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  self[length < 0 ? 0 : length] = '\0';
  char* slash = strrchr(self, '/');
  if (slash != nullptr) *slash = '\0';
  // Without /proc the place is known only as the package has it.
  const char* folder = slash != nullptr ? self : "/usr/bin";
  char program[PATH_MAX + 64];
  snprintf(program, sizeof program, "%s/../lib/instantgp/x86-64-v%d/instantgp", folder, newer ? 3 : 2);
  execv(program, argv);
  perror(program);
  return 1;
}

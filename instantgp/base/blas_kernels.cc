#include "instantgp/base/blas_kernels.h"

#include <cstdlib>
#include <cstring>

// OpenBLAS's own; weak, since not every build of it has them.
extern "C" {
__attribute__((weak)) char* openblas_get_corename();
__attribute__((weak)) void gotoblas_dynamic_init();
__attribute__((weak)) void gotoblas_dynamic_quit();
}

namespace instantgp {
namespace {

constexpr char kWish[] = "OPENBLAS_CORETYPE";  // read when OpenBLAS chooses

bool HasAvx2AndFma() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

}  // namespace

const char* BlasKernels() { return openblas_get_corename != nullptr ? openblas_get_corename() : ""; }

void ChooseBlasKernels() {
  const bool can_choose = gotoblas_dynamic_init != nullptr && gotoblas_dynamic_quit != nullptr;
  if (!can_choose || std::strcmp(BlasKernels(), "Prescott") != 0 || !HasAvx2AndFma()) return;
  if (std::getenv(kWish) != nullptr) return;
  setenv(kWish, "Haswell", 1);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  unsetenv(kWish);
}

}  // namespace instantgp

#include "instantgp/base/blas_kernels.h"

#include <cstdlib>
#include <cstring>

// OpenBLAS's own; weak, since not every build of it has them, and the reference BLAS none.
extern "C" {
__attribute__((weak)) char* openblas_get_corename();
__attribute__((weak)) void gotoblas_dynamic_init();
__attribute__((weak)) void gotoblas_dynamic_quit();
__attribute__((weak)) int openblas_get_num_threads();
__attribute__((weak)) void openblas_set_num_threads(int threads);
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

int BlasThreads() { return openblas_get_num_threads != nullptr ? openblas_get_num_threads() : 1; }

void SetBlasThreads(int threads) {
  if (openblas_set_num_threads != nullptr) openblas_set_num_threads(threads);
}

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

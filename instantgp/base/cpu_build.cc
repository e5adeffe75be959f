// Compiled as the rest of the library is: the macros tell which extensions the compiler was allowed to use.
#include "instantgp/base/cpu.h"
#include "instantgp/base/cpu_features.h"

namespace instantgp {

namespace {

// A macro that is not defined keeps its name, which does not start with '1'.
#define INSTANTGP_TEXT_OF(macro) #macro
#define INSTANTGP_IS_DEFINED(macro) (INSTANTGP_TEXT_OF(macro)[0] == '1')

constexpr CpuFeatures FeaturesOfThisBuild() {
  CpuFeatures features = 0;
#ifdef __x86_64__
  CpuFeatures bit = 1;
#define INSTANTGP_ADD(macro, builtin_name, name)    \
  if (INSTANTGP_IS_DEFINED(macro)) features |= bit; \
  bit <<= 1;
  INSTANTGP_CPU_FEATURES(INSTANTGP_ADD)
#undef INSTANTGP_ADD
#endif
  return features;
}

}  // namespace

constexpr CpuFeatures kBuildCpuFeatures = FeaturesOfThisBuild();

}  // namespace instantgp

// The table of extensions: X(macro the compiler defines, name of __builtin_cpu_supports, name for people).
// Every extension GCC uses without being asked by name is here; the order fixes the bits of CpuFeatures.
#pragma once

#define INSTANTGP_CPU_FEATURES_COMMON(X)              \
  X(__SSE3__, "sse3", "SSE3")                         \
  X(__SSSE3__, "ssse3", "SSSE3")                      \
  X(__SSE4_1__, "sse4.1", "SSE4.1")                   \
  X(__SSE4_2__, "sse4.2", "SSE4.2")                   \
  X(__POPCNT__, "popcnt", "POPCNT")                   \
  X(__AVX__, "avx", "AVX")                            \
  X(__AVX2__, "avx2", "AVX2")                         \
  X(__FMA__, "fma", "FMA")                            \
  X(__BMI__, "bmi", "BMI1")                           \
  X(__BMI2__, "bmi2", "BMI2")                         \
  X(__FMA4__, "fma4", "FMA4")                         \
  X(__XOP__, "xop", "XOP")                            \
  X(__AVX512F__, "avx512f", "AVX512F")                \
  X(__AVX512CD__, "avx512cd", "AVX512CD")             \
  X(__AVX512BW__, "avx512bw", "AVX512BW")             \
  X(__AVX512DQ__, "avx512dq", "AVX512DQ")             \
  X(__AVX512VL__, "avx512vl", "AVX512VL")             \
  X(__AVX512IFMA__, "avx512ifma", "AVX512IFMA")       \
  X(__AVX512VBMI__, "avx512vbmi", "AVX512VBMI")       \
  X(__AVX512VBMI2__, "avx512vbmi2", "AVX512VBMI2")    \
  X(__AVX512VNNI__, "avx512vnni", "AVX512VNNI")       \
  X(__AVX512BITALG__, "avx512bitalg", "AVX512BITALG") \
  X(__AVX512VPOPCNTDQ__, "avx512vpopcntdq", "AVX512VPOPCNTDQ")

// Clang 14 does not know these by name.
#ifdef __clang__
#define INSTANTGP_CPU_FEATURES(X) INSTANTGP_CPU_FEATURES_COMMON(X)
#else
#define INSTANTGP_CPU_FEATURES(X)       \
  INSTANTGP_CPU_FEATURES_COMMON(X)      \
  X(__LZCNT__, "lzcnt", "LZCNT")        \
  X(__MOVBE__, "movbe", "MOVBE")        \
  X(__F16C__, "f16c", "F16C")           \
  X(__AVXVNNI__, "avxvnni", "AVX-VNNI") \
  X(__AVX512FP16__, "avx512fp16", "AVX512FP16")
#endif

// Whether this processor can run this build.
//
// A build for -march=native or x86-64-v3 dies on an older processor with an illegal instruction. The functions here are
// compiled for the oldest processor of the architecture and use nothing compiled otherwise, so a program can ask before
// it runs anything else: apps/cli/cpu_guard.cc does so before the first static initialiser.
#pragma once

#include <cstddef>
#include <cstdint>

namespace instantgp {

// One bit per instruction-set extension that a compiler may use on its own; see CpuFeatureName. None on other
// architectures than x86-64.
using CpuFeatures = std::uint64_t;

// What the library was compiled for. Data, not a function: reading it executes nothing compiled for the newer
// processor.
extern const CpuFeatures kBuildCpuFeatures;

// What processor and operating system offer.
CpuFeatures MachineCpuFeatures();

// "AVX2"; null past the last feature.
const char* CpuFeatureName(int bit);

// Writes a message naming the features in `needed` that `present` lacks, cut to `size` bytes with the closing zero, and
// returns its length; 0 and an empty text when nothing lacks.
std::size_t DescribeMissingCpuFeatures(CpuFeatures needed, CpuFeatures present, char* buffer, std::size_t size);

}  // namespace instantgp

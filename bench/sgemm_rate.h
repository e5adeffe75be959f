// What one thread of this machine can do: the measure the network's benchmarks compare with.
#pragma once

#include <algorithm>
#include <ctime>
#include <vector>

#include "instantgp/base/blas_kernels.h"

extern "C" {
void sgemm_(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*,
            const float*, const int*, const float*, float*, const int*);
}

// Seconds of CLOCK_THREAD_CPUTIME_ID or CLOCK_PROCESS_CPUTIME_ID.
inline double ProcessorTime(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// The best of many products of 768 x 768 matrices on one thread, in operations per second of its processor time.
inline double SgemmRate() {
  instantgp::SetBlasThreads(1);
  constexpr int kSize = 768;
  const std::vector<float> a(kSize * kSize, 0.5f), b(kSize * kSize, 0.25f);
  std::vector<float> c(kSize * kSize, 0.0f);
  const float one = 1, zero = 0;
  double best = 0;
  for (int repeat = 0; repeat < 30; ++repeat) {
    const double start = ProcessorTime(CLOCK_THREAD_CPUTIME_ID);
    sgemm_("N", "N", &kSize, &kSize, &kSize, &one, a.data(), &kSize, b.data(), &kSize, &zero, c.data(), &kSize);
    best = std::max(best, 2.0 * kSize * kSize * kSize / (ProcessorTime(CLOCK_THREAD_CPUTIME_ID) - start));
  }
  return best;
}

// The kernels and the threads that BLAS runs on.
//
// OpenBLAS picks them when it is loaded, and takes a processor newer than itself for the oldest one it knows: Debian
// 12's 0.3.21 runs on an Intel Sapphire Rapids with the SSE3 kernels of a Prescott of 2004, and factorises 500 rows in
// 2.8 ms where those for AVX2 take 1.4.
#pragma once

namespace instantgp {

// Replace the kernels for Prescott where the processor has AVX2 and FMA by those for Haswell, the first that had them,
// unless OPENBLAS_CORETYPE asks for others. For programs, when they start: nothing may use BLAS meanwhile.
void ChooseBlasKernels();

// "Haswell"; empty where the BLAS does not tell.
const char* BlasKernels();

// OpenBLAS's own number of threads, a setting of the whole process. Other libraries have one thread, and ignore the
// wish for more.
int BlasThreads();
void SetBlasThreads(int threads);

}  // namespace instantgp

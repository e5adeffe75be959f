// The few LAPACK and BLAS routines we call, by their Fortran symbols (the C wrappers copy and cost time at small n).
#pragma once

namespace instantgp::lapack {

// BLAS runs on the caller's thread only: parallelism is ours, over datasets, structures and starts. Called before
// the first use; the setting is OpenBLAS's own and process-wide.
void PinToOneThread();

// L -> L^-1, lower triangles of n rows with a stride between columns; what is above is left as it is.
void InvertTriangle(double* L, int n, int stride);

extern "C" {
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dtrti2_(const char* uplo, const char* diag, const int* n, double* a, const int* lda, int* info);
void dlauu2_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dtrmm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,
            const double* alpha, const double* a, const int* lda, double* b, const int* ldb);
void dsyrk_(const char* uplo, const char* trans, const int* n, const int* k, const double* alpha, const double* a,
            const int* lda, const double* beta, double* c, const int* ldc);
void dtrsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,
            const double* alpha, const double* a, const int* lda, double* b, const int* ldb);
}

}  // namespace instantgp::lapack

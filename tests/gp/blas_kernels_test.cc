#include "instantgp/base/blas_kernels.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "instantgp/gp/cholesky.h"

namespace instantgp {
namespace {

TEST(BlasKernels, ThoseChosenFitTheProcessorAndWork) {
  const bool asked_for = std::getenv("OPENBLAS_CORETYPE") != nullptr;
  ChooseBlasKernels();
  const std::string name = BlasKernels();
#ifdef __AVX2__
  if (!asked_for) {
    EXPECT_NE(name, "Prescott");
  }
#endif
  EXPECT_EQ(std::getenv("OPENBLAS_CORETYPE") != nullptr, asked_for);
  ChooseBlasKernels();  // once is enough
  EXPECT_EQ(BlasKernels(), name);
  const Index n = 130;
  const Matrix B = Matrix::Random(n, n);
  const Matrix A = B * B.transpose() + Matrix::Identity(n, n);
  Matrix L = A;
  ASSERT_TRUE(Factorize(L, [&](Matrix& target) { target = A; }).ok);
  L = Matrix(L.triangularView<Eigen::Lower>());
  EXPECT_LT((L * L.transpose() - A).norm(), 1e-10 * A.norm());
}

}  // namespace
}  // namespace instantgp

// Derivatives of cross-covariances with respect to parameters and points, and of the diagonal.
#include <gtest/gtest.h>

#include "instantgp/gp/covariance.h"
#include "instantgp/kernel/parameters.h"
#include "tests/support/gradient_check.h"
#include "tests/support/random_kernels.h"

namespace instantgp {
namespace {

Matrix RandomMatrix(RandomStream& random, Index rows, Index columns, bool normal) {
  Matrix M(rows, columns);
  for (Index k = 0; k < M.size(); ++k) M.data()[k] = normal ? random.Normal() : random.Uniform();
  return M;
}

std::vector<Expression> CrossGradientCases() {
  std::vector<Expression> cases;
  for (const Structure& s : testing::AllSymbolStructures()) cases.push_back(ToExpression(s));
  for (const Structure& s : testing::AllPairStructures()) cases.push_back(ToExpression(s));
  for (const Expression& e : testing::AllLevelsAndTrends()) cases.push_back(e);
  for (const Structure& s : testing::AllProductStructures()) cases.push_back(ToExpression(s));
  RandomStream random(21);
  for (int k = 0; k < 30; ++k) cases.push_back(testing::RandomExpression(random, 1 + k % 5, 4));
  return cases;
}

TEST(CrossGradient, IsTheGradientOfTheWeightedSumInParametersAndPoints) {
  RandomStream random(1);
  for (const Expression& e : CrossGradientCases()) {
    const Index d = ColumnsOf(e).back() + 1, n = random.UniformInt(1, 40), m = random.UniformInt(1, 5);
    const Matrix A = RandomMatrix(random, n, d, false), B = testing::UniformApartFrom(A, random, m);
    const Matrix W = RandomMatrix(random, n, m, true);
    const Covariance covariance(e);
    const Index p = covariance.num_parameters();
    const Vector log_p = DrawFromPrior(ParameterTable(e), random).head(p);
    CovarianceScratch scratch;
    const auto f = [&](const Vector& at) {
      Matrix K;
      covariance.Cross(A, at.tail(m * d).reshaped(m, d), at.data(), K, scratch);
      return K.cwiseProduct(W).sum();
    };
    Vector x(p + m * d);
    x << log_p, B.reshaped();
    Vector gradient = Vector::Zero(p);
    Matrix points = Matrix::Zero(m, d);
    covariance.ContractCross(A, B, log_p.data(), W, gradient.data(), points, scratch);
    Vector analytic(x.size());
    analytic << gradient, points.reshaped();
    testing::ExpectGradient(f, x, analytic);
  }
}

// More pairs than one block holds; two halves of A one after the other give the whole.
TEST(CrossGradient, AddsUpOverBlocksAndParts) {
  RandomStream random(2);
  const Expression e = testing::RandomExpression(random, 3, 4);
  const Index n = 700, m = 13, d = 3;
  const Matrix A = RandomMatrix(random, n, d, false), B = RandomMatrix(random, m, d, false);
  const Matrix W = RandomMatrix(random, n, m, true);
  const Covariance covariance(e);
  const Vector log_p = DrawFromPrior(ParameterTable(e), random);
  CovarianceScratch scratch;
  Vector whole = Vector::Zero(covariance.num_parameters()), parts = whole, rows = whole;
  Matrix whole_points = Matrix::Zero(m, d), parts_points = whole_points, rows_points = whole_points;
  covariance.ContractCross(A, B, log_p.data(), W, whole.data(), whole_points, scratch);
  for (Index first : {0, 350}) {
    covariance.ContractCross(A.middleRows(first, 350), B, log_p.data(), W.middleRows(first, 350), parts.data(),
                             parts_points, scratch);
  }
  for (Index i = 0; i < n; ++i) {
    covariance.ContractCross(A.row(i), B, log_p.data(), W.row(i), rows.data(), rows_points, scratch);
  }
  EXPECT_LT((whole - parts).cwiseAbs().maxCoeff(), 1e-10 * whole.cwiseAbs().maxCoeff());
  EXPECT_LT((whole - rows).cwiseAbs().maxCoeff(), 1e-10 * whole.cwiseAbs().maxCoeff());
  EXPECT_LT((whole_points - parts_points).cwiseAbs().maxCoeff(), 1e-10 * whole_points.cwiseAbs().maxCoeff());
  EXPECT_LT((whole_points - rows_points).cwiseAbs().maxCoeff(), 1e-10 * whole_points.cwiseAbs().maxCoeff());
}

TEST(CrossGradient, TheDiagonalHasItsOwn) {
  RandomStream random(3);
  for (const Expression& e : CrossGradientCases()) {
    const Index d = ColumnsOf(e).back() + 1, n = random.UniformInt(1, 9);
    Matrix X = RandomMatrix(random, n, d, false);
    X(0, 0) = 0;
    const Vector w = RandomMatrix(random, n, 1, true);
    const Covariance covariance(e);
    const Vector log_p = DrawFromPrior(ParameterTable(e), random).head(covariance.num_parameters());
    const auto f = [&](const Vector& at) {
      Vector diagonal;
      covariance.Diagonal(X, at.data(), diagonal);
      return diagonal.dot(w);
    };
    Vector gradient = Vector::Zero(log_p.size());
    covariance.ContractDiagonal(X, log_p.data(), w, gradient.data());
    testing::ExpectGradient(f, log_p, gradient);
  }
}

}  // namespace
}  // namespace instantgp

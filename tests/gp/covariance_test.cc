#include "instantgp/gp/covariance.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "instantgp/base/rng.h"
#include "instantgp/kernel/parameters.h"
#include "tests/support/gradient_check.h"
#include "tests/support/naive_kernel.h"
#include "tests/support/random_kernels.h"
#include "tests/support/tables.h"

namespace instantgp {
namespace {

Vector RandomLogParameters(RandomStream& random, const Expression& e) {
  return DrawFromPrior(ParameterTable(e), random);  // noise last, unused here
}

std::vector<Expression> CovarianceCases() {
  std::vector<Expression> cases;
  for (const Structure& s : testing::AllSymbolStructures()) cases.push_back(ToExpression(s));
  for (const Structure& s : testing::AllPairStructures()) cases.push_back(ToExpression(s));
  for (const Expression& e : testing::AllLevelsAndTrends()) cases.push_back(e);
  RandomStream random(11);
  for (int k = 0; k < 60; ++k) cases.push_back(ToExpression(testing::RandomStructure(random, 1 + k % 8)));
  for (int k = 0; k < 60; ++k) cases.push_back(testing::RandomExpression(random, 1 + k % 8, 4));
  return cases;
}

// k(x_i, z_j) by the oracle
double Naive(const Expression& e, const Matrix& X, int i, const Matrix& Z, int j, const Vector& log_p) {
  std::vector<double> x, z, parameters;
  for (Index k = 0; k < X.cols(); ++k) {
    x.push_back(X(i, k));
    z.push_back(Z(j, k));
  }
  for (double p : log_p) parameters.push_back(std::exp(p));
  return testing::NaiveKernel<double>(e, x, z, parameters);
}

// d for which every column of the expression exists
int Columns(const Expression& e) { return ColumnsOf(e).back() + 1; }

TEST(Covariance, AgreesWithTheNaiveLoopAtSizesAroundTheBlock) {
  RandomStream random(1);
  for (const Expression& e : CovarianceCases()) {
    const int n = random.UniformInt(1, 40), d = Columns(e);
    const Matrix X = testing::UniformMatrix(random, n, d), Z = testing::UniformMatrix(random, 7, d);
    const Vector log_p = RandomLogParameters(random, e);
    const Covariance covariance(e);
    CovarianceScratch scratch;
    Matrix K = Matrix::Constant(n, n, -7), C;
    covariance.Gram(X, log_p.data(), K, scratch);
    covariance.Cross(X, Z, log_p.data(), C, scratch);
    Vector diagonal;
    covariance.Diagonal(X, log_p.data(), diagonal);
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        if (i < j) {
          ASSERT_EQ(K(i, j), -7) << "the upper triangle must stay untouched";
          continue;
        }
        const double expected = Naive(e, X, i, X, j, log_p);
        ASSERT_NEAR(K(i, j), expected, 1e-12 * std::max(1.0, std::abs(expected)));
      }
      ASSERT_NEAR(diagonal[j], K(j, j), 1e-12 * std::max(1.0, K(j, j)));
    }
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < 7; ++j) {
        const double expected = Naive(e, X, i, Z, j, log_p);
        ASSERT_NEAR(C(i, j), expected, 1e-12 * std::max(1.0, std::abs(expected)));
      }
    }
  }
}

TEST(Covariance, ContractIsTheGradientOfTheWeightedSum) {
  RandomStream random(2);
  for (const Expression& e : CovarianceCases()) {
    const int n = random.UniformInt(2, 30);
    const Matrix X = testing::UniformMatrix(random, n, Columns(e));
    const Vector all = RandomLogParameters(random, e);
    const Vector log_p = all.head(all.size() - 1);
    Matrix W(n, n);
    for (Index k = 0; k < W.size(); ++k) W.data()[k] = random.Normal();
    const Covariance covariance(e);
    CovarianceScratch scratch;
    const auto f = [&](const Vector& p) {
      Matrix K(n, n);
      covariance.Gram(X, p.data(), K, scratch);
      double sum = 0;
      for (int j = 0; j < n; ++j) {
        for (int i = j; i < n; ++i) sum += W(i, j) * K(i, j);
      }
      return sum;
    };
    Vector gradient(log_p.size());
    covariance.Contract(X, log_p.data(), W, gradient.data(), scratch);
    testing::ExpectGradient(f, log_p, gradient);
  }
}

TEST(Covariance, IsPositiveSemidefiniteAndAGrownScratchChangesNothing) {
  RandomStream random(3);
  CovarianceScratch shared;
  for (const Expression& e : CovarianceCases()) {
    const int n = 50;
    const Matrix X = testing::UniformMatrix(random, n, Columns(e));
    const Vector log_p = RandomLogParameters(random, e);
    const Covariance covariance(e);
    Matrix K = Matrix::Zero(n, n), again = Matrix::Zero(n, n);
    covariance.Gram(X, log_p.data(), K, shared);
    CovarianceScratch fresh;
    covariance.Gram(X, log_p.data(), again, fresh);
    ASSERT_EQ(K, again);
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(K, Eigen::EigenvaluesOnly);  // reads the lower triangle
    ASSERT_GE(eigen.eigenvalues().minCoeff(), -1e-10 * K.trace() / n);
  }
}

// Rows in another order give the same entries in another place, bit for bit apart from exp's rounding within a vector.
TEST(Covariance, FollowsAPermutationOfRows) {
  RandomStream random(4);
  for (const Expression& e : CovarianceCases()) {
    const int n = 23;
    const Matrix X = testing::UniformMatrix(random, n, Columns(e));
    const Vector log_p = RandomLogParameters(random, e);
    std::vector<int> order(n);
    for (int i = 0; i < n; ++i) order[i] = (i * 7) % n;
    Matrix permuted(n, X.cols());
    for (int i = 0; i < n; ++i) permuted.row(i) = X.row(order[i]);
    const Covariance covariance(e);
    CovarianceScratch scratch;
    Matrix K, P;
    covariance.Cross(X, X, log_p.data(), K, scratch);
    covariance.Cross(permuted, permuted, log_p.data(), P, scratch);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        ASSERT_NEAR(P(i, j), K(order[i], order[j]), 1e-13 * std::max(1.0, std::abs(K(order[i], order[j]))));
        ASSERT_NEAR(K(i, j), K(j, i), 1e-13 * std::max(1.0, std::abs(K(i, j))));
      }
    }
  }
}

TEST(Covariance, WildParametersStayFiniteNumbers) {
  const Expression e = Expression::Leaf(Elementary::kSE, 0);
  const Covariance covariance(e);
  CovarianceScratch scratch;
  const Matrix X = (Matrix(3, 1) << 0.0, 0.5, 1.0).finished();
  for (double v : {-800.0, 0.0, 900.0}) {
    for (double l : {-400.0, 0.0, 400.0}) {
      const Vector log_p = (Vector(2) << v, l).finished();
      Matrix K = Matrix::Zero(3, 3);
      covariance.Gram(X, log_p.data(), K, scratch);
      EXPECT_FALSE(K.hasNaN()) << v << " " << l;
    }
  }
}

}  // namespace
}  // namespace instantgp

#include "instantgp/gp/marginal_likelihood.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <numbers>

#include "instantgp/base/rng.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/cholesky.h"
#include "instantgp/kernel/parameters.h"
#include "tests/support/gradient_check.h"
#include "tests/support/random_kernels.h"
#include "tests/support/tables.h"

namespace instantgp {
namespace {

struct Case {
  Expression expression;
  Matrix X;
  Vector y;
  LogParameters theta;
};

Case MakeCase(RandomStream& random, const Expression& e, int n) {
  const int d = ColumnsOf(e).back() + 1;
  Case c{e, {}, {}, DrawFromPrior(ParameterTable(e), random)};
  c.X = testing::UniformMatrix(random, n, d);
  c.y = testing::NormalVector(random, n);
  c.theta.noise() = std::log(random.Uniform(0.01, 0.3));
  return c;
}

std::vector<Expression> LikelihoodCases() {
  std::vector<Expression> cases;
  for (const Structure& s : testing::AllSymbolStructures()) cases.push_back(ToExpression(s));
  for (const Structure& s : testing::AllPairStructures()) cases.push_back(ToExpression(s));
  for (const Expression& e : testing::AllLevelsAndTrends()) cases.push_back(e);
  RandomStream random(21);
  for (int k = 0; k < 40; ++k) cases.push_back(ToExpression(testing::RandomStructure(random, 1 + k % 8)));
  for (int k = 0; k < 40; ++k) cases.push_back(Canonical(testing::RandomExpression(random, 1 + k % 8, 3)));
  return cases;
}

double Nlml(const Case& c, const Vector& theta, Vector* gradient = nullptr) {
  NlmlWorkspace workspace;
  const NlmlValue value = NegativeLogMarginalLikelihood(Covariance(c.expression), c.X, c.y, theta, gradient, workspace);
  EXPECT_TRUE(value.ok) << value.reason;
  return value.nlml;
}

// The definition, with dA / d log theta by differences: (alpha^T D_i A^-1 D_j alpha) / 2 n.
Matrix AverageInformationByDefinition(const Case& c) {
  const Covariance covariance(c.expression);
  const Index n = c.X.rows();
  CovarianceScratch scratch;
  const auto full = [&](const LogParameters& theta) {
    Matrix A = Matrix::Zero(n, n);
    covariance.Gram(c.X, theta.data(), A, scratch);
    A = Matrix(A.selfadjointView<Eigen::Lower>());
    A.diagonal().array() += std::exp(theta.noise());
    return A;
  };
  const Eigen::LDLT<Matrix> factor(full(c.theta));
  const Vector alpha = factor.solve(c.y);
  Matrix D_alpha(n, c.theta.size());
  for (Index i = 0; i < c.theta.size(); ++i) {
    constexpr double h = 1e-5;
    LogParameters up = c.theta, down = c.theta;
    up[i] += h;
    down[i] -= h;
    D_alpha.col(i) = (full(up) - full(down)) * alpha / (2 * h);
  }
  return D_alpha.transpose() * factor.solve(D_alpha) / (2.0 * static_cast<double>(n));
}

Matrix AverageInformation(const Case& c, const LogParameters& theta, const ClosedFormScale* scale,
                          ThreadPool* pool = nullptr) {
  const Covariance covariance(c.expression);
  NlmlWorkspace workspace;
  workspace.covariance.pool = pool;
  EXPECT_TRUE(NegativeLogMarginalLikelihood(covariance, c.X, c.y, theta, nullptr, workspace, scale).ok);
  Vector gradient, plain;
  Matrix curvature;
  EXPECT_TRUE(NlmlGradient(covariance, c.X, theta, scale, workspace, &gradient, &curvature));
  NegativeLogMarginalLikelihood(covariance, c.X, c.y, theta, &plain, workspace, scale);
  EXPECT_LE((gradient - plain).cwiseAbs().maxCoeff(), 1e-11 * std::max(1.0, plain.cwiseAbs().maxCoeff()));
  return curvature;
}

TEST(MarginalLikelihood, AverageInformationIsItsDefinitionForEverySymbolPairAndRandomStructure) {
  RandomStream random(5);
  for (const Expression& e : LikelihoodCases()) {
    const Case c = MakeCase(random, e, random.UniformInt(2, 25));
    const Matrix expected = AverageInformationByDefinition(c), got = AverageInformation(c, c.theta, nullptr);
    EXPECT_LE((got - expected).cwiseAbs().maxCoeff(), 5e-5 * std::max(1.0, expected.cwiseAbs().maxCoeff()))
        << Print(e, DefaultColumnNames(8));
    EXPECT_EQ(got, Matrix(got.transpose()));
  }
}

// At the best scale it is what is left of the whole when the scale is minimised out: the Schur complement of the
// scale's direction, which therefore is flat.
TEST(MarginalLikelihood, AverageInformationAtTheBestScaleIsProfiledOverIt) {
  RandomStream random(6);
  const ClosedFormScale scale{.pseudo_rows = 0};
  for (const Expression& e : LikelihoodCases()) {
    Case c = MakeCase(random, e, random.UniformInt(5, 25));
    NlmlWorkspace workspace;
    const NlmlValue value = NegativeLogMarginalLikelihood(Covariance(e), c.X, c.y, c.theta, nullptr, workspace, &scale);
    ASSERT_TRUE(value.ok);
    const Vector direction = ScaleDirection(e);
    const LogParameters scaled = c.theta + value.log_scale * direction;
    const Matrix whole = AverageInformation(c, scaled, nullptr);
    const Vector along = whole * direction;
    const Matrix expected = whole - along * along.transpose() / direction.dot(along);
    const Matrix got = AverageInformation(c, c.theta, &scale);
    const double size = std::max(1.0, whole.cwiseAbs().maxCoeff());
    EXPECT_LE((got - expected).cwiseAbs().maxCoeff(), 1e-8 * size);
    EXPECT_LE((got * direction).cwiseAbs().maxCoeff(), 1e-8 * size);
  }
}

TEST(MarginalLikelihood, AverageInformationIsTheSameOnTwoThreads) {
  RandomStream random(8);
  ThreadPool pool(2);
  const Case c = MakeCase(random, ToExpression(testing::RandomStructure(random, 4)), 150);
  EXPECT_EQ(AverageInformation(c, c.theta, nullptr), AverageInformation(c, c.theta, nullptr, &pool));
}

TEST(MarginalLikelihood, GradientInLogSpaceForEverySymbolPairAndRandomStructure) {
  RandomStream random(1);
  for (const Expression& e : LikelihoodCases()) {
    const Case c = MakeCase(random, e, random.UniformInt(2, 25));
    Vector gradient;
    Nlml(c, c.theta, &gradient);
    testing::ExpectGradient([&](const Vector& theta) { return Nlml(c, theta); }, c.theta, gradient);
  }
}

TEST(MarginalLikelihood, IsTheGaussianDensityByDeterminantAndInverse) {
  RandomStream random(2);
  for (const Expression& e : LikelihoodCases()) {
    const Case c = MakeCase(random, e, 6);
    const Covariance covariance(e);
    CovarianceScratch scratch;
    Matrix A;
    covariance.Cross(c.X, c.X, c.theta.data(), A, scratch);
    A.diagonal().array() += std::exp(c.theta.noise());
    const Eigen::PartialPivLU<Matrix> lu(A);
    const double expected =
        (0.5 * c.y.dot(lu.solve(c.y)) + 0.5 * std::log(lu.determinant())) / 6.0 + 0.5 * std::log(2 * std::numbers::pi);
    EXPECT_NEAR(Nlml(c, c.theta), expected, 1e-9 * std::max(1.0, std::abs(expected)));
  }
}

TEST(MarginalLikelihood, DoesNotDependOnRowOrder) {
  RandomStream random(3);
  for (const Expression& e : LikelihoodCases()) {
    const Case c = MakeCase(random, e, 20);
    Case shuffled = c;
    for (int i = 0; i < 20; ++i) {
      shuffled.X.row(i) = c.X.row((7 * i) % 20);
      shuffled.y[i] = c.y[(7 * i) % 20];
    }
    EXPECT_NEAR(Nlml(shuffled, c.theta), Nlml(c, c.theta), 1e-9 * std::max(1.0, std::abs(Nlml(c, c.theta))));
  }
}

// The value at the closed-form scale is that of the scaled parameters; without pseudo rows no other scale is better.
TEST(MarginalLikelihood, ClosedFormScaleIsTheBestScale) {
  RandomStream random(6);
  for (int k = 0; k < 60; ++k) {
    const Structure structure = testing::RandomStructure(random, 1 + k % 8);
    const Case c = MakeCase(random, ToExpression(structure), 15);
    const auto scaled = [&](double log_scale) {
      LogParameters theta = c.theta;
      ScaleKernel(structure, log_scale, theta);
      theta.noise() += log_scale;
      return Nlml(c, theta);
    };
    NlmlWorkspace workspace;
    for (const double pseudo_rows : {0.0, 4.0}) {
      const ClosedFormScale scale{pseudo_rows};
      const NlmlValue value =
          NegativeLogMarginalLikelihood(Covariance(c.expression), c.X, c.y, c.theta, nullptr, workspace, &scale);
      ASSERT_TRUE(value.ok);
      EXPECT_NEAR(value.nlml, scaled(value.log_scale), 1e-9 * std::max(1.0, std::abs(value.nlml)));
      if (pseudo_rows > 0) continue;
      EXPECT_LT(value.nlml, scaled(value.log_scale + 0.1));
      EXPECT_LT(value.nlml, scaled(value.log_scale - 0.1));
    }
  }
}

TEST(MarginalLikelihood, GradientThroughTheClosedFormScale) {
  RandomStream random(7);
  for (const Expression& e : LikelihoodCases()) {
    const Case c = MakeCase(random, e, random.UniformInt(2, 25));
    const ClosedFormScale scale{random.Uniform(0, 5), random.Uniform(-1, 1)};
    NlmlWorkspace workspace;
    const auto f = [&](const Vector& theta, Vector* gradient) {
      const NlmlValue value =
          NegativeLogMarginalLikelihood(Covariance(e), c.X, c.y, theta, gradient, workspace, &scale);
      return value.nlml + scale.log_scale_weight * value.log_scale;
    };
    Vector gradient;
    f(c.theta, &gradient);
    testing::ExpectGradient([&](const Vector& theta) { return f(theta, nullptr); }, c.theta, gradient);
  }
}

// Sizes around the one from which the work is shared: with and without a second thread the bits are the same.
TEST(MarginalLikelihood, DoesNotDependOnTheThreads) {
  RandomStream random(8);
  ThreadPool pool(2);
  for (const int n : {kTwoPartSize - 1, kTwoPartSize, kTwoPartSize + 37}) {
    for (int k = 0; k < 6; ++k) {
      const Case c = MakeCase(random, ToExpression(testing::RandomStructure(random, 1 + k)), n);
      NlmlWorkspace alone, shared;
      shared.covariance.pool = &pool;
      Vector one, two;
      const Covariance covariance(c.expression);
      EXPECT_EQ(NegativeLogMarginalLikelihood(covariance, c.X, c.y, c.theta, &one, alone).nlml,
                NegativeLogMarginalLikelihood(covariance, c.X, c.y, c.theta, &two, shared).nlml);
      EXPECT_EQ(one, two);
    }
  }
}

// Duplicate rows and hardly any noise: the ladder adds jitter and says how much.
TEST(MarginalLikelihood, ClimbsTheJitterLadder) {
  const Expression e = Expression::Leaf(Elementary::kSE, 0);
  Matrix X = Matrix::Constant(30, 1, 0.5);
  const Vector y = Vector::Constant(30, 0.3);
  const Vector theta = (Vector(3) << 0.0, 0.0, -60.0).finished();
  NlmlWorkspace workspace;
  Vector gradient;
  const NlmlValue value = NegativeLogMarginalLikelihood(Covariance(e), X, y, theta, &gradient, workspace);
  ASSERT_TRUE(value.ok) << value.reason;
  EXPECT_GE(value.jitter, 1e-10);
  EXPECT_LE(value.jitter, 1e-4);
  EXPECT_TRUE(gradient.allFinite());
}

TEST(MarginalLikelihood, ReportsFailureInsteadOfNaN) {
  const Expression e = Expression::Leaf(Elementary::kSE, 0);
  const Matrix X = (Matrix(2, 1) << 0.0, 1.0).finished();
  const Vector y = (Vector(2) << 1.0, -1.0).finished();
  NlmlWorkspace workspace;
  Vector gradient;
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (const Vector& theta :
       {Vector((Vector(3) << nan, 0.0, 0.0).finished()), Vector((Vector(3) << 0.0, inf, 0.0).finished()),
        Vector((Vector(3) << 0.0, 0.0, 5000.0).finished())}) {
    const NlmlValue value = NegativeLogMarginalLikelihood(Covariance(e), X, y, theta, &gradient, workspace);
    EXPECT_FALSE(value.ok);
    EXPECT_FALSE(value.reason.empty());
  }
}

TEST(Cholesky, LadderEndsInAFailureThatSaysWhy) {
  const auto indefinite = [](Matrix& A) {
    A = Matrix::Identity(3, 3);
    A(2, 2) = -1;
  };
  Matrix A(3, 3);
  indefinite(A);
  const Factorization factor = Factorize(A, indefinite);
  EXPECT_FALSE(factor.ok);
  EXPECT_NE(factor.reason.find("not positive definite"), std::string::npos);
  const auto broken = [](Matrix& B) {
    B = Matrix::Identity(3, 3);
    B(2, 0) = std::numeric_limits<double>::quiet_NaN();
  };
  broken(A);
  const Factorization nan = Factorize(A, broken);
  EXPECT_FALSE(nan.ok);
  EXPECT_NE(nan.reason.find("not finite"), std::string::npos);
}

TEST(Cholesky, FactorSolvesAndInverseAgree) {
  RandomStream random(5);
  for (int n : {1, 2, 3, 7, 31, 64, 130, 255, 256, 257, 301}) {
    Matrix B(n, n + 2);
    for (Index k = 0; k < B.size(); ++k) B.data()[k] = random.Normal();
    const Matrix A = B * B.transpose() + Matrix::Identity(n, n);
    Matrix L = A;
    ASSERT_TRUE(Factorize(L, [&](Matrix& M) { M = A; }).ok);
    Vector x(n);
    for (Index k = 0; k < n; ++k) x[k] = random.Normal();
    Vector solution = A * x;
    SolveLower(L, solution);
    SolveLowerTransposed(L, solution);
    EXPECT_LT((solution - x).norm(), 1e-9 * (1 + x.norm()));
    InvertFromFactor(L);
    const Matrix inverse = L.selfadjointView<Eigen::Lower>();
    EXPECT_LT((inverse * A - Matrix::Identity(n, n)).norm(), 1e-8 * n);
  }
}

}  // namespace
}  // namespace instantgp

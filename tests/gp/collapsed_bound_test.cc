// The bound of the sparse Gaussian process against the exact likelihood, and its gradient.
#include "instantgp/gp/collapsed_bound.h"

#include <gtest/gtest.h>

#include <numeric>

#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/marginal_likelihood.h"
#include "instantgp/kernel/parameters.h"
#include "tests/support/gradient_check.h"
#include "tests/support/random_kernels.h"
#include "tests/support/tables.h"

namespace instantgp {
namespace {

struct BoundProblem {
  Expression expression;
  Matrix X;
  Vector y;
  LogParameters theta;
};

BoundProblem RandomProblem(RandomStream& random, Expression expression, Index n) {
  BoundProblem problem;
  const Index d = ColumnsOf(expression).back() + 1;
  problem.theta = DrawFromPrior(ParameterTable(expression), random);
  problem.theta.noise() = std::log(random.Uniform(1e-2, 0.5));
  problem.expression = std::move(expression);
  problem.X = testing::UniformMatrix(random, n, d);
  problem.y = testing::NormalVector(random, n);
  return problem;
}

double NegativeElbo(const BoundProblem& problem, const Matrix& Z) {
  BoundWorkspace workspace;
  const BoundValue bound =
      NegativeElbo(Covariance(problem.expression), problem.X, problem.y, Z, problem.theta, nullptr, nullptr, workspace);
  EXPECT_TRUE(bound.ok) << bound.reason;
  return bound.negative_elbo;
}

double Nlml(const BoundProblem& problem) {
  NlmlWorkspace workspace;
  const NlmlValue value = NegativeLogMarginalLikelihood(Covariance(problem.expression), problem.X, problem.y,
                                                        problem.theta, nullptr, workspace);
  EXPECT_TRUE(value.ok) << value.reason;
  return value.nlml;
}

std::vector<Expression> BoundCases() {
  std::vector<Expression> cases;
  for (const Structure& s : testing::AllSymbolStructures()) cases.push_back(ToExpression(s));
  for (const Structure& s : testing::AllPairStructures()) cases.push_back(ToExpression(s));
  for (const Expression& e : testing::AllLevelsAndTrends()) cases.push_back(e);
  for (const Structure& s : testing::AllProductStructures()) cases.push_back(ToExpression(s));
  RandomStream random(31);
  for (int k = 0; k < 40; ++k) cases.push_back(testing::RandomExpression(random, 1 + k % 4, 3));
  return cases;
}

TEST(CollapsedBound, WithInducingPointsAtTheDataItIsTheLikelihood) {
  RandomStream random(1);
  for (const Expression& e : BoundCases()) {
    const BoundProblem problem = RandomProblem(random, e, random.UniformInt(1, 50));
    const double nlml = Nlml(problem);
    EXPECT_NEAR(NegativeElbo(problem, problem.X), nlml, 1e-6 * std::max(1.0, std::abs(nlml)));
  }
}

// Nested sets: each further inducing point can only tighten the bound, and none passes the likelihood.
TEST(CollapsedBound, NeverPassesTheLikelihoodAndTightensWithEveryPoint) {
  RandomStream random(2);
  for (const Expression& e : BoundCases()) {
    const BoundProblem problem = RandomProblem(random, e, 30);
    Matrix Z(12, problem.X.cols());
    for (Index k = 0; k < Z.size(); ++k) Z.data()[k] = random.Uniform(-0.2, 1.2);
    const double nlml = Nlml(problem);
    double previous = std::numeric_limits<double>::infinity();
    for (Index m : {1, 2, 4, 8, 12}) {
      const double bound = NegativeElbo(problem, Z.topRows(m));
      const double tolerance = 1e-6 * std::max(1.0, std::abs(bound));
      EXPECT_GE(bound, nlml - tolerance);
      EXPECT_LE(bound, previous + tolerance);
      previous = bound;
    }
  }
}

void ExpectBoundGradient(const BoundProblem& problem, const Matrix& Z, double tolerance) {
  const Covariance covariance(problem.expression);
  const Index p = problem.theta.size();
  BoundWorkspace workspace;
  const auto f = [&](const Vector& at) {
    return NegativeElbo(covariance, problem.X, problem.y, at.tail(Z.size()).reshaped(Z.rows(), Z.cols()), at.head(p),
                        nullptr, nullptr, workspace)
        .negative_elbo;
  };
  Vector gradient, at(p + Z.size()), analytic(p + Z.size());
  Matrix Z_gradient;
  at << problem.theta, Z.reshaped();
  ASSERT_TRUE(NegativeElbo(covariance, problem.X, problem.y, Z, problem.theta, &gradient, &Z_gradient, workspace).ok);
  analytic << gradient, Z_gradient.reshaped();
  testing::ExpectGradient(f, at, analytic, tolerance);
}

TEST(CollapsedBound, GradientInParametersAndInducingInputs) {
  RandomStream random(3);
  for (const Expression& e : BoundCases()) {
    const BoundProblem problem = RandomProblem(random, e, random.UniformInt(5, 25));
    const Matrix Z = testing::UniformApartFrom(problem.X, random, random.UniformInt(2, 5));
    ExpectBoundGradient(problem, Z.topRows(1), 1e-6);
    // More points than a linear kernel has directions: rounding in a singular Kmm limits the differences.
    ExpectBoundGradient(problem, Z, 1e-4);
  }
}

TEST(CollapsedBound, LargeTablesGiveTheSameOnOneAndTwoThreads) {
  RandomStream random(4);
  const BoundProblem problem = RandomProblem(random, testing::RandomExpression(random, 2, 2), 1500);
  const Matrix Z = problem.X.topRows(20);
  const Covariance covariance(problem.expression);
  ThreadPool pool(2);
  BoundWorkspace one, two;
  two.pool = &pool;
  Vector g1, g2;
  Matrix z1, z2;
  const BoundValue a = NegativeElbo(covariance, problem.X, problem.y, Z, problem.theta, &g1, &z1, one);
  const BoundValue b = NegativeElbo(covariance, problem.X, problem.y, Z, problem.theta, &g2, &z2, two);
  ASSERT_TRUE(a.ok && b.ok);
  EXPECT_EQ(a.negative_elbo, b.negative_elbo);
  EXPECT_EQ(g1, g2);
  EXPECT_EQ(z1, z2);
  ExpectBoundGradient(problem, Z.topRows(2), 1e-6);
}

TEST(CollapsedBound, WildParametersAreAStatusAndNotANumber) {
  RandomStream random(5);
  BoundProblem problem = RandomProblem(random, Expression::Leaf(Elementary::kSE, 0), 10);
  BoundWorkspace workspace;
  const Covariance covariance(problem.expression);
  for (double wild : {-1e4, 1e4, std::numeric_limits<double>::quiet_NaN()}) {
    for (Index k = 0; k < problem.theta.size(); ++k) {
      LogParameters theta = problem.theta;
      theta[k] = wild;
      Vector gradient;
      Matrix Z_gradient;
      const BoundValue value = NegativeElbo(covariance, problem.X, problem.y, problem.X.topRows(3), theta, &gradient,
                                            &Z_gradient, workspace);
      if (value.ok) {
        EXPECT_TRUE(std::isfinite(value.negative_elbo) && gradient.allFinite() && Z_gradient.allFinite());
      } else {
        EXPECT_FALSE(value.reason.empty());
      }
    }
  }
}

}  // namespace
}  // namespace instantgp

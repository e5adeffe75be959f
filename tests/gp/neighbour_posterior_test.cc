#include "instantgp/gp/neighbour_posterior.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>
#include <numeric>

#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/left_out_density.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/kernel/parameters.h"
#include "tests/support/gradient_check.h"
#include "tests/support/random_kernels.h"
#include "tests/support/tables.h"

namespace instantgp {
namespace {

struct NeighbourCase {
  Expression expression;
  Matrix X, X_new;
  Vector y;
  LogParameters theta;
};

NeighbourCase MakeCase(RandomStream& random, const Structure& structure, int n, int m) {
  const Expression e = ToExpression(structure);
  const int d = ColumnsOf(e).back() + 1;
  NeighbourCase c{e, testing::UniformMatrix(random, n, d), Matrix(m, d), testing::NormalVector(random, n),
                  DrawFromPrior(ParameterTable(e), random)};
  for (Index k = 0; k < c.X_new.size(); ++k) c.X_new.data()[k] = random.Uniform(-0.2, 1.2);
  c.theta.noise() = std::log(random.Uniform(0.01, 0.2));
  return c;
}

std::vector<Structure> Cases() {
  std::vector<Structure> cases = testing::AllSymbolStructures();
  RandomStream random(8);
  for (int k = 0; k < 16; ++k) cases.push_back(testing::RandomStructure(random, 1 + k % 6));
  return cases;
}

NeighbourPosterior FromNeighbours(const NeighbourCase& c, NeighbourRule rule) {
  return NeighbourPosterior(c.expression, RowTree(c.X, c.y), c.theta, std::move(rule), 0);
}

TEST(NeighbourPosterior, WithAllRowsItIsTheExactPosterior) {
  RandomStream random(1);
  for (const Structure& s : Cases()) {
    const NeighbourCase c = MakeCase(random, s, 40, 9);
    const Posterior exact(c.expression, c.X, c.y, c.theta);
    for (const int count : {40, 64}) {
      const NeighbourPosterior all = FromNeighbours(c, {.count = count, .anchors = {3, 4}});
      for (const Noise noise : {Noise::kLatent, Noise::kObserved}) {
        Vector mean, std, mean_all, std_all;
        exact.MeanAndStd(c.X_new, noise, &mean, &std);
        all.MeanAndStd(c.X_new, noise, &mean_all, &std_all);
        const double scale = 1 + mean.cwiseAbs().maxCoeff();
        EXPECT_LT((mean - mean_all).cwiseAbs().maxCoeff(), 1e-8 * scale);
        EXPECT_LT((std.array().square() - std_all.array().square()).abs().maxCoeff(),
                  1e-8 * (1 + std.cwiseAbs2().maxCoeff()));
      }
      EXPECT_LT((exact.Cov(c.X_new, Noise::kObserved) - all.Cov(c.X_new, Noise::kObserved)).cwiseAbs().maxCoeff(),
                1e-8 * (1 + exact.Cov(c.X_new, Noise::kObserved).cwiseAbs().maxCoeff()));
    }
  }
}

TEST(NeighbourPosterior, EachPredictionIsTheExactPosteriorOfItsNeighbours) {
  RandomStream random(2);
  const NeighbourCase c = MakeCase(random, testing::RandomStructure(random, 3), 200, 5);
  const NeighbourPosterior posterior = FromNeighbours(c, {.count = 30});
  const Nearness nearness = NearnessOf(c.expression, c.theta.data());
  Vector mean, std;
  posterior.MeanAndStd(c.X_new, Noise::kObserved, &mean, &std);
  NearestScratch scratch;
  std::vector<int> rows;
  for (Index i = 0; i < 5; ++i) {
    const Vector x = c.X_new.row(i).transpose();
    posterior.tree().Nearest(x.data(), nearness, {.count = 30}, scratch, rows);
    const Posterior exact(c.expression, posterior.X()(rows, Eigen::all), posterior.y()(rows), c.theta);
    Vector m, s;
    exact.MeanAndStd(c.X_new.row(i), Noise::kObserved, &m, &s);
    EXPECT_NEAR(mean[i], m[0], 1e-9 * (1 + std::abs(m[0])));
    EXPECT_NEAR(std[i], s[0], 1e-9 * (1 + s[0]));
  }
}

TEST(NeighbourPosterior, SameBitsWhateverTheThreads) {
  RandomStream random(3);
  const NeighbourCase c = MakeCase(random, testing::RandomStructure(random, 2), 300, 200);
  const NeighbourPosterior posterior = FromNeighbours(c, {.count = 20});
  Vector one, one_std, three, three_std;
  posterior.MeanAndStd(c.X_new, Noise::kLatent, &one, &one_std, {});
  ThreadPool pool(3);
  Index last = 0;
  posterior.MeanAndStd(c.X_new, Noise::kLatent, &three, &three_std,
                       {.pool = &pool, .progress = [&](Index done, Index of) {
                          EXPECT_GT(done, last);
                          EXPECT_EQ(of, 200);
                          last = done;
                        }});
  EXPECT_EQ(one, three);
  EXPECT_EQ(one_std, three_std);
  EXPECT_EQ(last, 200);
}

TEST(NeighbourPosterior, StopsWhenAsked) {
  RandomStream random(4);
  const NeighbourCase c = MakeCase(random, testing::RandomStructure(random, 2), 100, 200);
  std::stop_source source;
  source.request_stop();
  Vector mean;
  try {
    FromNeighbours(c, {.count = 20}).MeanAndStd(c.X_new, Noise::kLatent, &mean, nullptr, {.stop = source.get_token()});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInterrupted);
  }
}

// y = 3 x with rows everywhere: the nearest alone do not know the slope.
NeighbourCase LineCase() {
  RandomStream random(5);
  const int n = 1000;
  NeighbourCase c;
  c.expression = Expression::Sum({Expression::Leaf(Elementary::kSE, 0), Expression::Leaf(Elementary::kLIN, 0)});
  c.X = testing::UniformMatrix(random, n, 1);
  c.y = 3 * c.X.col(0) + 0.3 * testing::NormalVector(random, n);
  c.theta = LogParameters(Vector{{std::log(0.01), std::log(0.01), std::log(10.0), std::log(10.0)}}, std::log(0.09));
  c.X_new = Matrix{{0.25}, {0.75}, {1.5}};
  return c;
}

TEST(NeighbourPosterior, AllRowsTellLinItsSlope) {
  const NeighbourCase c = LineCase();
  const Posterior exact(c.expression, c.X, c.y, c.theta);
  NeighbourRule with{.count = 32};
  with.linear = std::make_shared<const LinearPart>(LinearPart::Learnt(Covariance(c.expression), c.X, c.y, c.theta));
  ASSERT_EQ(with.linear->size(), 2);
  Vector mean, std, mean_near, std_near, mean_all, std_all;
  exact.MeanAndStd(c.X_new, Noise::kLatent, &mean, &std);
  FromNeighbours(c, {.count = 32}).MeanAndStd(c.X_new, Noise::kLatent, &mean_near, &std_near);
  const NeighbourPosterior posterior = FromNeighbours(c, with);
  posterior.MeanAndStd(c.X_new, Noise::kLatent, &mean_all, &std_all);
  // Beyond the rows, where the slope is all there is, the nearest alone are
  // lost and the others as good as exact.
  EXPECT_GT(std_near[2], 2 * std[2]);
  EXPECT_NEAR(std_all[2], std[2], 0.1 * std[2]);
  EXPECT_NEAR(mean_all[2], mean[2], 0.3 * std[2]);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(mean_all[i], mean[i], 0.5 * std[i]);
  // The joint covariance of one row is its variance.
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(posterior.Cov(c.X_new.row(i), Noise::kLatent)(0, 0), std_all[i] * std_all[i], 1e-9);
  }
  // With all rows as neighbours nothing is counted twice.
  with.count = static_cast<int>(c.X.rows());
  FromNeighbours(c, with).MeanAndStd(c.X_new, Noise::kLatent, &mean_all, &std_all);
  EXPECT_LT((mean_all - mean).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(LinearPart, IsTheRegressionWithinTheExactPosterior) {
  // A kernel that is nothing else: m and C are those of Bayesian regression on
  // (x, 1).
  RandomStream random(6);
  const Expression line = Expression::Leaf(Elementary::kLIN, 0);
  const Matrix X = testing::UniformMatrix(random, 30, 1);
  const Vector y = testing::NormalVector(random, 30);
  const LogParameters theta(Vector{{std::log(2.0), std::log(0.5)}}, std::log(0.25));
  const LinearPart part = LinearPart::Learnt(Covariance(line), X, y, theta);
  Matrix phi(30, 2);
  phi << X, Vector::Ones(30);
  const Vector B{{2.0, 0.5}};
  const Matrix C = (phi.transpose() * phi / 0.25 + Matrix(B.cwiseInverse().asDiagonal())).inverse();
  EXPECT_LT((part.cov - C).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((part.mean - C * phi.transpose() * y / 0.25).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((part.Features(X) - phi).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(LinearPart, MonomialsOfProductsAndWhatIsLeft) {
  const auto leaf = [](Elementary symbol, int column) { return Expression::Leaf(symbol, column); };
  const auto both = [&](int column) {
    return Expression::Sum({leaf(Elementary::kSE, column), leaf(Elementary::kLIN, column)});
  };
  EXPECT_EQ(LinearFeaturesOf(both(0)).size(), 2u);
  EXPECT_FALSE(ReachesFarBeyondLinear(both(0)));
  const Expression product = Expression::Product({both(0), both(1)});
  EXPECT_EQ(LinearFeaturesOf(product).size(), 4u);  // 1, x1, x2, x1 x2
  EXPECT_TRUE(ReachesFarBeyondLinear(product));     // SE times LIN
  EXPECT_TRUE(LinearFeaturesOf(Expression::Product({both(0), leaf(Elementary::kSE, 1)})).empty());
  EXPECT_FALSE(ReachesFarBeyondLinear(leaf(Elementary::kPER, 0)));
  std::vector<Expression> many;
  for (int k = 0; k < 7; ++k) many.push_back(both(k));
  EXPECT_TRUE(LinearFeaturesOf(Expression::Product(many)).empty());  // 128 are too many
  EXPECT_TRUE(ReachesFarBeyondLinear(Expression::Product(many)));
}

TEST(LeftOutDensity, GradientByDifferencesGivenALinearPart) {
  const NeighbourCase c = LineCase();
  const Covariance covariance(c.expression);
  const RowTree tree(c.X, c.y);
  NeighbourRule rule{.count = 12};
  rule.linear = std::make_shared<const LinearPart>(LinearPart::Learnt(covariance, c.X, c.y, c.theta));
  LeftOutDensity density(covariance, tree, {5, 300, 700}, c.theta, rule, nullptr);
  LogParameters theta = c.theta;
  for (Index k = 0; k < theta.size(); ++k) theta[k] += 0.1 * static_cast<double>(k) - 0.2;
  double nll = 0;
  Vector gradient;
  ASSERT_TRUE(density.Evaluate(theta, &nll, &gradient));
  for (Index k = 0; k < theta.size(); ++k) {
    constexpr double kStep = 1e-5;
    double up = 0, down = 0;
    LogParameters moved = theta;
    moved[k] += kStep;
    ASSERT_TRUE(density.Evaluate(moved, &up, nullptr));
    moved[k] -= 2 * kStep;
    ASSERT_TRUE(density.Evaluate(moved, &down, nullptr));
    EXPECT_NEAR(gradient[k], (up - down) / (2 * kStep), 1e-6) << k;
  }
  // What the regression is known to be does not depend on its prior any more.
  EXPECT_NEAR(gradient[2], 0, 1e-9);
  EXPECT_NEAR(gradient[3], 0, 1e-9);
}

TEST(NeighbourPosterior, TooManyJointRowsAreRefused) {
  RandomStream random(6);
  const NeighbourCase c = MakeCase(random, testing::RandomStructure(random, 2), 8000, 4000);
  try {
    FromNeighbours(c, {.count = 64}).Cov(c.X_new, Noise::kLatent);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kLimit);
  }
}

TEST(LeftOutDensity, OfAllRowsIsTheExactLeaveOneOut) {
  RandomStream random(7);
  for (const Structure& s : Cases()) {
    const NeighbourCase c = MakeCase(random, s, 30, 1);
    const Covariance covariance(c.expression);
    const RowTree tree(c.X, c.y);
    std::vector<int> rows(30);
    std::iota(rows.begin(), rows.end(), 0);
    LeftOutDensity density(covariance, tree, rows, c.theta, {.count = 30}, nullptr);
    double nll = 0;
    ASSERT_TRUE(density.Evaluate(c.theta, &nll, nullptr));
    EXPECT_NEAR(nll, Posterior(c.expression, c.X, c.y, c.theta).Loo().nll, 1e-7 * (1 + std::abs(nll)));
  }
}

TEST(LeftOutDensity, GradientByDifferencesAndThreads) {
  RandomStream random(9);
  ThreadPool pool(2);
  for (const Structure& s : Cases()) {
    const NeighbourCase c = MakeCase(random, s, 120, 1);
    const Covariance covariance(c.expression);
    const RowTree tree(c.X, c.y);
    std::vector<int> rows(40);
    std::iota(rows.begin(), rows.end(), 7);
    const NeighbourRule rule{.count = 15, .anchors = {1, 50, 100}};
    LeftOutDensity density(covariance, tree, rows, c.theta, rule, nullptr);
    LeftOutDensity threads(covariance, tree, rows, c.theta, rule, &pool);
    double nll = 0, again = 0;
    Vector gradient, gradient_again;
    ASSERT_TRUE(density.Evaluate(c.theta, &nll, &gradient));
    ASSERT_TRUE(threads.Evaluate(c.theta, &again, &gradient_again));
    EXPECT_EQ(nll, again);
    EXPECT_EQ(gradient, gradient_again);
    const auto value = [&](const Vector& theta) {
      double v = 0;
      EXPECT_TRUE(density.Evaluate(theta, &v, nullptr));
      return v;
    };
    EXPECT_LT(testing::CheckGradient(value, c.theta, gradient).worst, 1e-5);
  }
}

TEST(Nearness, AFactorOfLengthscalesOrKernelChangesNobodysNeighbours) {
  RandomStream random(10);
  for (const Structure& s : Cases()) {
    const NeighbourCase c = MakeCase(random, s, 10, 1);
    const ParameterTable table(c.expression);
    LogParameters other = c.theta;
    for (const Index row :
         table.Rows(ParameterKind::kLengthscale, {Elementary::kSE, Elementary::kMAT52, Elementary::kPER})) {
      other[row] += 0.7;
    }
    other += 1.3 * ScaleDirection(c.expression);
    const Nearness a = NearnessOf(c.expression, c.theta.data()), b = NearnessOf(c.expression, other.data());
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) {
      EXPECT_EQ(a[k].column, b[k].column);
      EXPECT_NEAR(b[k].weight / a[k].weight, std::exp(-1.4), 1e-9);
    }
  }
}

TEST(Nearness, IsTheCurvatureOfTheLogCorrelation) {
  RandomStream random(11);
  for (const Structure& s : testing::AllPairStructures()) {
    const NeighbourCase c = MakeCase(random, s, 1, 1);
    if (ReachesFarBeyondLinear(c.expression) || !LinearFeaturesOf(c.expression).empty()) continue;
    const Covariance covariance(c.expression);
    CovarianceScratch scratch;
    const double r = 1e-4 * std::exp(c.theta.minCoeff());
    Matrix K;
    covariance.Cross(Matrix{{0.5}}, Matrix{{0.5}, {0.5 + r}}, c.theta.data(), K, scratch);
    double sum = 0;
    for (const ColumnNearness& term : NearnessOf(c.expression, c.theta.data())) {
      const double x = term.period == 0 ? r : std::sin(std::numbers::pi * r / term.period);
      sum += term.weight * x * x;
    }
    EXPECT_NEAR(-std::log(K(0, 1) / K(0, 0)) / sum, 1, 1e-2);
  }
}

}  // namespace
}  // namespace instantgp

#include "instantgp/gp/posterior.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"
#include "instantgp/gp/sparse_posterior.h"
#include "instantgp/kernel/parameters.h"
#include "tests/support/random_kernels.h"
#include "tests/support/tables.h"

namespace instantgp {
namespace {

struct Problem {
  Expression expression;
  Matrix X, X_new;
  Vector y;
  LogParameters theta;
};

Problem MakeProblem(RandomStream& random, const Structure& structure, int n, int m) {
  const Expression e = ToExpression(structure);
  const int d = ColumnsOf(e).back() + 1;
  Problem p{e, {}, Matrix(m, d), {}, DrawFromPrior(ParameterTable(e), random)};
  p.X = testing::UniformMatrix(random, n, d);
  for (Index k = 0; k < p.X_new.size(); ++k) p.X_new.data()[k] = random.Uniform(-0.2, 1.2);
  p.y = testing::NormalVector(random, n);
  p.theta.noise() = std::log(random.Uniform(0.01, 0.2));
  return p;
}

Posterior Make(const Problem& p) { return Posterior(p.expression, p.X, p.y, p.theta); }

std::vector<Structure> PosteriorCases() {
  std::vector<Structure> cases = testing::AllSymbolStructures();
  RandomStream random(31);
  for (int k = 0; k < 24; ++k) cases.push_back(testing::RandomStructure(random, 1 + k % 8));
  return cases;
}

TEST(Posterior, MeanAndVarianceByPlainInverse) {
  RandomStream random(1);
  for (const Structure& s : PosteriorCases()) {
    const Problem p = MakeProblem(random, s, 12, 5);
    const Posterior posterior = Make(p);
    const Covariance covariance(p.expression);
    CovarianceScratch scratch;
    Matrix A, k, prior;
    covariance.Cross(p.X, p.X, p.theta.data(), A, scratch);
    covariance.Cross(p.X, p.X_new, p.theta.data(), k, scratch);
    covariance.Cross(p.X_new, p.X_new, p.theta.data(), prior, scratch);
    A.diagonal().array() += posterior.noise_variance();
    const Eigen::PartialPivLU<Matrix> lu(A);
    const Vector mean = k.transpose() * lu.solve(p.y);
    const Matrix cov = prior - k.transpose() * lu.solve(k);
    Vector m, std;
    posterior.MeanAndStd(p.X_new, Noise::kLatent, &m, &std);
    const double scale = prior.diagonal().maxCoeff();
    EXPECT_LT((m - mean).cwiseAbs().maxCoeff(), 1e-8 * (1 + mean.cwiseAbs().maxCoeff()));
    EXPECT_LT((std.cwiseAbs2() - cov.diagonal()).cwiseAbs().maxCoeff(), 1e-8 * (1 + scale));
    EXPECT_LT((posterior.Cov(p.X_new, Noise::kLatent) - cov).cwiseAbs().maxCoeff(), 1e-8 * (1 + scale));
  }
}

TEST(Posterior, SquaredStdIsTheDiagonalOfCovAndNeverAboveThePrior) {
  RandomStream random(2);
  for (const Structure& s : PosteriorCases()) {
    const Problem p = MakeProblem(random, s, 15, 40);
    const Posterior posterior = Make(p);
    for (Noise noise : {Noise::kLatent, Noise::kObserved}) {
      Vector mean, std;
      posterior.MeanAndStd(p.X_new, noise, &mean, &std);
      const Matrix cov = posterior.Cov(p.X_new, noise);
      const double scale = cov.diagonal().maxCoeff();
      EXPECT_LT((std.cwiseAbs2() - cov.diagonal()).cwiseAbs().maxCoeff(), 1e-10 * (1 + scale));
      EXPECT_EQ(cov, cov.transpose());
      Vector prior;
      Covariance(p.expression).Diagonal(p.X_new, p.theta.data(), prior);
      if (noise == Noise::kLatent) {
        EXPECT_LE((std.cwiseAbs2() - prior).maxCoeff(), 1e-10 * prior.maxCoeff());
      }
      EXPECT_EQ(mean, posterior.Mean(p.X_new));
    }
  }
}

TEST(Posterior, ChunksOfTestRowsDoNotChangeTheAnswer) {
  RandomStream random(3);
  const Problem p = MakeProblem(random, PosteriorCases()[12], 20, 700);
  const Posterior posterior = Make(p);
  Vector mean, std, one_mean, one_std;
  posterior.MeanAndStd(p.X_new, Noise::kObserved, &mean, &std);
  for (Index i : {0, 255, 256, 257, 511, 512, 699}) {
    posterior.MeanAndStd(p.X_new.row(i), Noise::kObserved, &one_mean, &one_std);
    EXPECT_NEAR(mean[i], one_mean[0], 1e-12 * (1 + std::abs(mean[i])));
    EXPECT_NEAR(std[i], one_std[0], 1e-10 * (1 + std[i]));
  }
}

// Leaving a row out for real: a posterior of the other n-1 rows, asked at that row.
TEST(Posterior, LeaveOneOutEqualsRefittingWithoutTheRow) {
  RandomStream random(4);
  for (const Structure& s : PosteriorCases()) {
    const int n = 9;
    const Problem p = MakeProblem(random, s, n, 1);
    const LeaveOneOut loo = Make(p).Loo();
    double nll = 0;
    for (int i = 0; i < n; ++i) {
      Problem q = p;
      q.X.resize(n - 1, p.X.cols());
      q.y.resize(n - 1);
      for (int r = 0, k = 0; r < n; ++r) {
        if (r == i) continue;
        q.X.row(k) = p.X.row(r);
        q.y[k++] = p.y[r];
      }
      Vector mean, std;
      Make(q).MeanAndStd(p.X.row(i), Noise::kObserved, &mean, &std);
      EXPECT_NEAR(loo.mean[i], mean[0], 1e-7 * (1 + std::abs(mean[0])));
      EXPECT_NEAR(loo.variance[i], std[0] * std[0], 1e-7 * (1 + std[0] * std[0]));
      const double z = (p.y[i] - mean[0]) / std[0];
      nll += (0.5 * std::log(2 * std::numbers::pi) + std::log(std[0]) + 0.5 * z * z) / n;
    }
    EXPECT_NEAR(loo.nll, nll, 1e-6 * (1 + std::abs(nll)));
  }
}

TEST(Posterior, SamplesHaveTheirMeanAndCovarianceAndRepeatUnderASeed) {
  RandomStream random(5);
  const Problem p = MakeProblem(random, PosteriorCases()[0], 6, 3);
  const Posterior posterior = Make(p);
  const int count = 20000;
  for (Noise noise : {Noise::kLatent, Noise::kObserved}) {
    const Matrix samples = posterior.Samples(p.X_new, noise, count, 7);
    const Matrix cov = posterior.Cov(p.X_new, noise);
    const Vector mean = posterior.Mean(p.X_new);
    const Vector average = samples.rowwise().mean();
    const Matrix centred = samples.colwise() - average;
    const Matrix empirical = centred * centred.transpose() / count;
    const double scale = std::sqrt(cov.diagonal().maxCoeff());
    EXPECT_LT((average - mean).cwiseAbs().maxCoeff(), 5 * scale / std::sqrt(count));
    EXPECT_LT((empirical - cov).cwiseAbs().maxCoeff(), 8 * scale * scale / std::sqrt(count));
    EXPECT_EQ(samples.leftCols(3), posterior.Samples(p.X_new, noise, 3, 7));
    EXPECT_NE(samples.leftCols(3), posterior.Samples(p.X_new, noise, 3, 8));
  }
}

TEST(Posterior, NlmlIsTheMarginalLikelihoodOfItsParts) {
  RandomStream random(6);
  for (const Structure& s : PosteriorCases()) {
    const Problem p = MakeProblem(random, s, 14, 1);
    const Posterior posterior = Make(p);
    const Matrix A = posterior.L() * posterior.L().transpose();
    EXPECT_LT((A * posterior.alpha() - p.y).norm(), 1e-8 * (1 + p.y.norm()));
    EXPECT_DOUBLE_EQ(posterior.log_marginal_likelihood(), -14 * posterior.nlml());
  }
}

TEST(Posterior, FarAwayTheLatentAnswerIsThePrior) {
  const Expression e = Expression::Leaf(Elementary::kSE, 0);
  const Matrix X = (Matrix(3, 1) << 0.0, 0.5, 1.0).finished();
  const Vector y = (Vector(3) << 1.0, 2.0, 3.0).finished();
  const Vector theta = (Vector(3) << std::log(2.0), std::log(0.1), std::log(0.01)).finished();
  Vector mean, std;
  Posterior(e, X, y, theta).MeanAndStd(Matrix::Constant(1, 1, 50.0), Noise::kLatent, &mean, &std);
  EXPECT_EQ(mean[0], 0);
  EXPECT_NEAR(std[0], std::sqrt(2.0), 1e-12);
}

// x x' to the fourth at 1e100, for the exact posterior and a sparse one: no NaN, an error that names the row.
TEST(Posterior, ARowWhereTheKernelIsLargerThanADoubleIsNamed) {
  const Expression line = Expression::Leaf(Elementary::kLIN, 0);
  const Expression e = Expression::Product({line, line, line, line});
  RandomStream random(8);
  const Matrix X = testing::UniformMatrix(random, 6, 1);
  const Vector y = testing::NormalVector(random, 6);
  Vector theta = Vector::Zero(NumParameters(e) + 1);
  theta[theta.size() - 1] = std::log(0.1);
  const Matrix X_new = (Matrix(3, 1) << 0.5, 1e100, 2.0).finished();
  const Posterior exact(e, X, y, theta);
  const SparsePosterior sparse(e, X, y, X.topRows(4), theta);
  for (const Predictive* predictive :
       {static_cast<const Predictive*>(&exact), static_cast<const Predictive*>(&sparse)}) {
    Vector mean, std;
    const std::function<void()> calls[] = {
        [&] { predictive->MeanAndStd(X_new, Noise::kObserved, &mean, &std); },
        [&] { predictive->MeanAndStd(X_new, Noise::kLatent, nullptr, &std); },
        [&] { predictive->Cov(X_new, Noise::kLatent); },
        [&] { predictive->Samples(X_new, Noise::kObserved, 2, 1); },
    };
    for (const auto& call : calls) {
      try {
        call();
        ADD_FAILURE() << "no error";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kNumerical);
        EXPECT_NE(std::string(error.what()).find("row 2"), std::string::npos) << error.what();
      }
    }
    predictive->MeanAndStd(X_new.topRows(1), Noise::kObserved, &mean, &std);
    EXPECT_TRUE(mean.allFinite() && std.allFinite());
  }
}

}  // namespace
}  // namespace instantgp

#include "instantgp/inference/spread.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "instantgp/kernel/parameters.h"
#include "instantgp/simulate/distribution.h"
#include "tests/support/random_kernels.h"

namespace instantgp {
namespace {

constexpr double kNoLeast = -std::numeric_limits<double>::infinity();

TEST(Spread, KeepsEveryHypothesisAndMovesNothingButNoiseAndLengthscales) {
  RandomStream random(3);
  for (const Structure& structure : testing::AllPairStructures()) {
    const ParameterTable table(ToExpression(structure));
    Matrix hypotheses(static_cast<Index>(table.size()) + 1, 3);
    for (Index k = 0; k < hypotheses.size(); ++k) hypotheses.data()[k] = random.Normal();
    const std::vector<Index> rows = table.Rows(ParameterKind::kLengthscale, {Elementary::kSE, Elementary::kMAT52});
    const std::set<Index> lengthscales(rows.begin(), rows.end());
    std::vector<bool> kept(3, false);
    for (const NoiseLadder& ladder : Spread(structure, hypotheses)) {
      bool from_one = false;
      for (Index k = 0; k < 3; ++k) {
        bool same = true, same_lengthscales = true;
        for (Index row = 0; row < ladder.theta.kernel_size(); ++row) {
          const bool equal = ladder.theta[row] == hypotheses(row, k);
          (lengthscales.contains(row) ? same_lengthscales : same) &= equal;
        }
        from_one |= same;
        if (same && same_lengthscales) kept[k] = kept[k] || ladder.log_noises[0] == hypotheses(NoiseRow(hypotheses), k);
      }
      EXPECT_TRUE(from_one);
      EXPECT_GE(ladder.log_noises.size(), 2u);
    }
    EXPECT_EQ(kept, std::vector<bool>(3, true));
  }
}

// The best of a ladder is what ranking each of its rungs by itself would give, with the factor that belongs to it.
TEST(Spread, RanksEveryRungAndKeepsTheFactorOfTheBest) {
  SimulationOptions options;
  options.n = 40;
  options.positives_only = true;
  const ClosedFormScale scale;
  ThreadPool pool(2);
  for (std::uint64_t k = 0; k < 20; ++k) {
    const Simulated s = Simulate(options, 11, k);
    const Covariance covariance(ToExpression(s.given));
    const Matrix hypotheses = s.theta;
    const std::vector<NoiseLadder> ladders = Spread(s.given, hypotheses);
    const RowSample rows{s.X, s.y};
    const std::vector<NlmlPoint> ranked = RankLadders(covariance, rows, ladders, &scale, kNoLeast, &pool);
    ASSERT_FALSE(ranked.empty());
    double best = std::numeric_limits<double>::infinity();
    for (const NoiseLadder& ladder : ladders) {
      NlmlPoint point;
      point.theta = ladder.theta;
      Matrix K(s.X.rows(), s.X.rows());
      covariance.Gram(s.X, point.theta.data(), K, point.workspace.covariance);
      const double base = ladder.of_kernel ? std::log(K.diagonal().mean()) : 0;
      for (const double rung : ladder.log_noises) {
        point.theta.noise() = base + rung;
        Evaluate(covariance, s.X, s.y, &scale, point);
        if (point.value.ok) best = std::min(best, point.value.nlml);
      }
    }
    EXPECT_EQ(ranked[0].value.nlml, best);
    NlmlPoint again;
    again.theta = ranked[0].theta;
    Evaluate(covariance, s.X, s.y, &scale, again);
    EXPECT_EQ(again.value.nlml, ranked[0].value.nlml);
    EXPECT_EQ(Matrix(again.workspace.A.triangularView<Eigen::Lower>()),
              Matrix(ranked[0].workspace.A.triangularView<Eigen::Lower>()));
    for (std::size_t i = 1; i < ranked.size(); ++i) EXPECT_LE(ranked[i - 1].value.nlml, ranked[i].value.nlml);
  }
}

// The final misses little of what a ranking of all ladders would find, and few rows have no heat.
TEST(Spread, AHeatKeepsThePromisingLadders) {
  SimulationOptions options;
  options.n = 100;
  options.positives_only = true;
  const ClosedFormScale scale;
  ThreadPool pool(2);
  double lost = 0;
  int count = 0;
  for (std::uint64_t k = 0; k < 30; ++k) {
    const Simulated s = Simulate(options, 12, k);
    const Covariance covariance(ToExpression(s.given));
    Matrix hypotheses(s.theta.size(), 3);
    hypotheses.colwise() = s.theta;
    hypotheses.col(1).array() += 1;
    hypotheses.col(2).array() -= 1;
    const std::vector<NoiseLadder> ladders = Spread(s.given, hypotheses);
    if (ladders.size() < 8) continue;  // no lengthscales to spread
    const RowSample rows{s.X, s.y}, few = SpreadSample(s.X, s.y, 30);
    EXPECT_EQ(Heat(covariance, few, ladders, &scale, kNoLeast, &pool).size(), ladders.size());
    const std::vector<NoiseLadder> promising = Heat(covariance, rows, ladders, &scale, kNoLeast, &pool);
    EXPECT_LT(2 * promising.size(), ladders.size());
    for (const NoiseLadder& kept : promising) {
      EXPECT_TRUE(std::any_of(ladders.begin(), ladders.end(), [&](const NoiseLadder& ladder) {
        return ladder.theta == kept.theta && ladder.log_noises == kept.log_noises;
      }));
    }
    const double all = RankLadders(covariance, rows, ladders, &scale, kNoLeast, &pool).at(0).value.nlml;
    lost += RankLadders(covariance, rows, promising, &scale, kNoLeast, &pool).at(0).value.nlml - all;
    ++count;
  }
  ASSERT_GE(count, 10);
  EXPECT_LT(lost / count, 0.05);
}

// Targets that are the sum of two columns, rounded so that some are equal: noise below what rounding leaves is not a
// candidate, however well it explains the rows.
TEST(Spread, NoCandidateHasLessThanTheLeastNoise) {
  RandomStream random(5);
  const Structure structure{{0, 1}, {{BaseSymbol::kSE}, {BaseSymbol::kSE}}};
  const Covariance covariance(ToExpression(structure));
  RowSample rows{Matrix(60, 2), Vector(60)};
  for (Index i = 0; i < 60; ++i) {
    for (Index j = 0; j < 2; ++j) rows.X(i, j) = random.UniformInt(0, 30) / 30.0;
    rows.y[i] = rows.X(i, 0) + rows.X(i, 1);
  }
  rows.y.array() -= rows.y.mean();
  rows.y /= std::sqrt(rows.y.squaredNorm() / 60);
  const Matrix hypotheses = Vector::Zero(covariance.num_parameters() + 1);
  const ClosedFormScale scale;
  const auto noise_of = [&](double least) {
    const NlmlPoint best = RankLadders(covariance, rows, Spread(structure, hypotheses), &scale, least, nullptr).at(0);
    return best.theta.noise() + best.value.log_scale;
  };
  EXPECT_LT(noise_of(kNoLeast), -12);
  EXPECT_GE(noise_of(-8), -8);
}

}  // namespace
}  // namespace instantgp

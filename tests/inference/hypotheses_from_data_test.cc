// Hypotheses from the data alone, and where refine starts.
#include "instantgp/inference/hypotheses_from_data.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "instantgp/base/rng.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/inference/oneshot.h"
#include "instantgp/inference/refine.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/model/fit.h"
#include "tests/support/random_kernels.h"
#include "tests/support/tables.h"

namespace instantgp {
namespace {

struct Series {
  Vector x, y;
};

// A parabola, a wave with a harmonic, and noise.
Series SineOf(double frequency, double noise, int n, RandomStream& random) {
  Series s{Vector(n), Vector(n)};
  for (int i = 0; i < n; ++i) {
    s.x[i] = random.Uniform();
    const double angle = 2 * std::numbers::pi * frequency * s.x[i];
    s.y[i] = 3 * s.x[i] - 2 * s.x[i] * s.x[i] + std::sin(angle) + 0.3 * std::cos(2 * angle) + noise * random.Normal();
  }
  return s;
}

// For every base symbol and random structures: the network's hypotheses stay first, and the further ones differ from
// one of them in lengthscales, periods and noise only.
TEST(HypothesesFromData, ChangeWhatTheySayAndNothingElse) {
  RandomStream random(6);
  for (int k = 0; k < 200; ++k) {
    const int d = 1 + k % 4;
    const Structure structure =
        k < kNumBaseSymbols ? Structure{{0}, {{kAllBaseSymbols[k]}}} : testing::RandomStructure(random, d, 3);
    const ParameterTable table(ToExpression(structure));
    Matrix theta(static_cast<Index>(table.size()) + 1, 4);
    for (Index e = 0; e < theta.size(); ++e) theta.data()[e] = random.Normal();
    const Series s = SineOf(5, 0.1, 60, random);
    Matrix X(60, 4);
    X << s.x, s.x, s.x, s.x;
    const Matrix all = WithHypothesesFromData(structure, X, s.y, theta, nullptr);
    ASSERT_GE(all.cols(), 4);
    EXPECT_EQ(all.leftCols(4), theta);
    const bool periods = !table.Rows(ParameterKind::kPeriod, {Elementary::kPER}).empty();
    if (structure.dimensions() > 1) {
      EXPECT_EQ(all.cols() > 4, periods && structure.dimensions() <= kMostColumnsWithWaves);
    }
    for (Index c = 4; c < all.cols(); ++c) {
      Index of = 0;
      if (structure.dimensions() == 1) theta.row(theta.rows() - 1).maxCoeff(&of);
      int changed = 0;
      for (Index r = 0; r < theta.rows(); ++r) {
        if (all(r, c) == theta(r, of)) continue;
        ++changed;
        if (r == theta.rows() - 1) continue;  // the noise
        EXPECT_TRUE(table[r].kind == ParameterKind::kPeriod || table[r].kind == ParameterKind::kLengthscale);
      }
      EXPECT_GT(changed, 0);
    }
  }
}

TEST(HypothesesFromData, ShortLengthscalesAndPeriodsAreFoundInOneShot) {
  RandomStream random(7);
  const Series s = SineOf(17, 0.05, 120, random);
  const Dataset data = Dataset::Of(s.x, s.y);
  EXPECT_LT(Fit(data, "SE").summary().nlml, Fit(data, "SE", {.method = Method::kMl}).summary().nlml - 0.2);
  const Vector theta = Fit(data, "LIN + PER").posterior().theta();
  EXPECT_NEAR(std::exp(-theta[4]), 17, 0.5);
}

// A wave along each of two columns, which the network alone does not see. The same for any threads.
TEST(HypothesesFromData, PeriodsOfTwoColumnsAreFoundInOneShot) {
  RandomStream random(9);
  Matrix X(150, 2);
  Vector y(150);
  for (Index i = 0; i < 150; ++i) {
    for (Index j = 0; j < 2; ++j) X(i, j) = random.Uniform();
    const auto wave = [&](double frequency, Index j) {
      return 1 + std::sin(2 * std::numbers::pi * frequency * X(i, j));
    };
    y[i] = wave(9, 0) * wave(5, 1) + 0.05 * random.Normal();
  }
  const Dataset data = Dataset::Of(X, y);
  const Model model = Fit(data, "PER", {}, {.threads = 1});
  const ParameterTable table(model.posterior().expression());
  const Vector theta = model.posterior().theta();
  for (const Index row : table.Rows(ParameterKind::kPeriod, {Elementary::kPER})) {
    const double frequency = std::exp(-theta[row]), truth = table[static_cast<std::size_t>(row)].column == 0 ? 9 : 5;
    EXPECT_NEAR(frequency, truth, 0.1 * truth);
  }
  EXPECT_EQ(Vector(Fit(data, "PER", {}, {.threads = 2}).posterior().theta()), theta);
}

TEST(Refine, TheSameForAnyThreadsAndNotWorseThanThePolishOfTheOneShotPoint) {
  for (int k = 0; k < 12; ++k) {
    const Simulated s = testing::DrawSimulated(60, 1 + k % 4, 12, k);
    const TrainedNetwork& network = TrainedNetwork::Embedded();
    const OneShot found = InferOneShot(network, network.Encode(AlreadyScaled(s.X, s.y)), s.given);
    const LogParameters one_shot = found.posterior.theta();
    for (const bool map : {false, true}) {
      Type2Options type2;
      type2.map = map;
      type2.max_steps = 5;
      const Expression expression = ToExpression(s.given);
      const auto refine = [&] { return Refine(expression, s.X, s.y, one_shot, found.other, type2); };
      const Type2Result alone = refine();
      ASSERT_TRUE(alone.ok);
      ThreadPool pool(3);
      type2.pool = &pool;
      EXPECT_EQ(refine().theta, alone.theta);
      EXPECT_NEAR(Type2Value(expression, s.X, s.y, map, alone.theta).value(), alone.value, 1e-9);
      EXPECT_LE(alone.value, Type2Value(expression, s.X, s.y, map, one_shot).value());
    }
  }
}

}  // namespace
}  // namespace instantgp

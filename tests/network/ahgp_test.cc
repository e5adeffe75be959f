// The ahgp family: one kernel, SE on every column.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "instantgp/base/error.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/network/ard_heads.h"
#include "tests/network/small_networks.h"

namespace instantgp {
namespace {

using testing::Problem;
using testing::RandomProblem;
using testing::RandomWeights;

constexpr double kArdTolerance = 1e-5;

class Ahgp : public ::testing::Test {
 protected:
  Matrix Theta(const Problem& p, ThreadPool* pool = nullptr) {
    Embedding<float> embedding;
    Matrix theta;
    network_.Encode(weights_.data(), p.X, p.y, workspace_, &embedding, pool);
    network_.Decode(weights_.data(), embedding, p.structure, workspace_, &theta);
    return theta;
  }
  Problem Random(int n, int d) {
    Problem p = RandomProblem(random_, n, d);
    p.structure = network_.Asked(p.structure);
    return p;
  }

  const Network<float> network_{testing::SmallAhgp()};
  const std::vector<float> weights_ = RandomWeights(network_, 3);
  Workspace<float> workspace_;
  RandomStream random_{21};
};

TEST_F(Ahgp, IsAskedForSeOnEveryColumnWhateverIsGiven) {
  for (int d = 1; d <= 8; ++d) {
    const Structure asked = network_.Asked(RandomProblem(random_, 3, d).structure);
    EXPECT_EQ(asked, ArdSe(d));
    EXPECT_EQ(ToStructure(ToExpression(asked)), asked);
  }
}

TEST_F(Ahgp, VariancesShareOneScale) {
  for (int d = 1; d <= 8; ++d) {
    const Matrix theta = Theta(Random(20, d));
    ASSERT_EQ(theta.rows(), 2 * d + 1);
    for (int i = 1; i < d; ++i) EXPECT_EQ(theta(2 * i, 0), theta(0, 0));
  }
}

TEST_F(Ahgp, RowsMayBeShuffledAndColumnsSwapped) {
  for (int k = 0; k < 40; ++k) {
    const int n = random_.UniformInt(2, 40), d = 1 + k % 6;
    const Problem p = Random(n, d);
    std::vector<int> rows(n), columns(d);
    std::iota(rows.begin(), rows.end(), 0);
    std::iota(columns.begin(), columns.end(), 0);
    for (int i = n - 1; i > 0; --i) std::swap(rows[i], rows[random_.UniformInt(0, i)]);
    for (int i = d - 1; i > 0; --i) std::swap(columns[i], columns[random_.UniformInt(0, i)]);
    Problem other = p;
    other.X = p.X(rows, columns);
    other.y = p.y(rows);
    const Matrix a = Theta(p), b = Theta(other);
    for (int i = 0; i < d; ++i) {
      for (int row = 0; row < 2; ++row) EXPECT_NEAR(b(2 * i + row, 0), a(2 * columns[i] + row, 0), kArdTolerance);
    }
    EXPECT_NEAR(a(2 * d, 0), b(2 * d, 0), kArdTolerance);
  }
}

TEST_F(Ahgp, TargetsOfAnotherScaleScaleKernelAndNoise) {
  const Problem p = Random(25, 3);
  Problem scaled = p;
  scaled.y *= 50;
  Matrix expected = Theta(p);
  const double shift = 2 * std::log(50.0);
  for (int i = 0; i < 3; ++i) expected(2 * i, 0) += shift / 3;
  expected(6, 0) += shift;
  EXPECT_LE((Theta(scaled) - expected).cwiseAbs().maxCoeff(), kArdTolerance);
}

TEST_F(Ahgp, TheKeptPassAndAnyThreadsGiveTheSame) {
  ThreadPool pool(3);
  for (int d = 1; d <= 5; ++d) {
    const Problem p = Random(30, d);
    const Matrix alone = Theta(p);
    EXPECT_EQ(alone, Theta(p, &pool));
    Matrix kept;
    network_.Forward(weights_.data(), p.X, p.y, p.structure, workspace_, &kept);
    EXPECT_LE((alone - kept).cwiseAbs().maxCoeff(), kArdTolerance);
  }
}

TEST_F(Ahgp, RefusesEveryOtherKernel) {
  Problem p = Random(10, 2);
  for (const BaseSymbol symbol : kAllBaseSymbols) {
    if (symbol == BaseSymbol::kSE) continue;
    p.structure.symbols[1] = {symbol};
    EXPECT_THROW(Theta(p), Error) << Name(symbol);
  }
  p.structure.symbols[1] = {BaseSymbol::kSE, BaseSymbol::kLIN};
  EXPECT_THROW(Theta(p), Error);
  p.structure = Structure{{0, 2}, {{BaseSymbol::kSE}, {BaseSymbol::kSE}}};
  EXPECT_THROW(Theta(p), Error);
}

TEST(AhgpConfig, EmptyBlocksAndOneHypothesisAreAsked) {
  const NetworkConfig good = NetworkPreset("ahgp-se-ard");
  EXPECT_NO_THROW(good.Validate());
  EXPECT_EQ(ParseNetworkConfig(ToJson(good), "t"), good);
  NetworkConfig bad = good;
  bad.t3 = {8, 1, 8};
  EXPECT_THROW(bad.Validate(), Error);
  bad = good;
  bad.hypotheses = 2;
  EXPECT_THROW(bad.Validate(), Error);
  bad = good;
  bad.t4.width = 32;
  EXPECT_THROW(bad.Validate(), Error);
}

}  // namespace
}  // namespace instantgp

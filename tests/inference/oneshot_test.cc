// One-shot inference with the shipped weights: its symmetries, its limits, and that it agrees with itself.
#include "instantgp/inference/oneshot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "instantgp/base/error.h"
#include "instantgp/base/rng.h"
#include "instantgp/base/thread_pool.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/inference/descent.h"
#include "instantgp/inference/row_sample.h"
#include "instantgp/kernel/parse.h"
#include "instantgp/model/fit.h"
#include "instantgp/network/config.h"
#include "instantgp/network/network.h"
#include "tests/support/kernel_text.h"
#include "tests/support/tables.h"

namespace instantgp {
namespace {

double Nlml(const Matrix& X, const Vector& y, const std::string& kernel, const FitOptions& options = {}) {
  return Fit(Dataset::Of(X, y), kernel, options).summary().nlml;
}

std::vector<int> Shuffled(int n, RandomStream& random) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (int i = n - 1; i > 0; --i) std::swap(order[i], order[random.UniformInt(0, i)]);
  return order;
}

TEST(OneShot, DoesNotDependOnTheOrderOfRows) {
  RandomStream random(1);
  for (int k = 0; k < 40; ++k) {
    const int n = k % 8 == 7 ? 600 : random.UniformInt(5, 120);
    const Simulated s = testing::DrawSimulated(n, 1 + k % 8, 77, k);
    const std::vector<int> order = Shuffled(n, random);
    const std::string kernel = testing::TextOf(s.given);
    const Model a = Fit(Dataset::Of(s.X, s.y), kernel);
    const Model b = Fit(Dataset::Of(SelectRows(s.X, order), SelectRows(s.y, order)), kernel);
    // The network's rounding, in float, and what steps along flat directions make of it.
    EXPECT_LT((a.posterior().theta() - b.posterior().theta()).cwiseAbs().maxCoeff(), 1e-3) << kernel << " n " << n;
    EXPECT_NEAR(a.posterior().nlml(), b.posterior().nlml(), 1e-5) << kernel << " n " << n;
  }
}

TEST(OneShot, FollowsAPermutationOfTheColumns) {
  RandomStream random(2);
  for (int k = 0; k < 40; ++k) {
    const Simulated s = testing::DrawSimulated(40, 2 + k % 7, 77, k);
    const std::vector<int> order = Shuffled(static_cast<int>(s.X.cols()), random);
    Structure permuted = s.given;
    for (std::size_t i = 0; i < order.size(); ++i) permuted.symbols[i] = s.given.symbols[order[i]];
    const Matrix X = s.X(Eigen::all, order);
    EXPECT_NEAR(Nlml(s.X, s.y, testing::TextOf(s.given)), Nlml(X, s.y, testing::TextOf(permuted)), 1e-4);
  }
}

// With several columns: along a single one the hypotheses from the data have noise of the standardised target's scale.
TEST(OneShot, FollowsTheScaleOfTheTargetExactly) {
  for (int k = 0; k < 20; ++k) {
    const Simulated s = testing::DrawSimulated(50, 2 + k % 7, 77, k);
    const TrainedNetwork& network = TrainedNetwork::Embedded();
    Encoding one = network.Encode(Dataset::Of(s.X, s.y));
    Encoding two = one;
    two.y *= 8;
    Embedding<float> larger = *one.embedding;
    larger.y_scale *= 8;
    two.embedding = std::make_shared<const Embedding<float>>(larger);
    const Posterior a = InferOneShot(network, one, s.given).posterior;
    const Posterior b = InferOneShot(network, two, s.given).posterior;
    EXPECT_NEAR(b.noise_variance(), 64 * a.noise_variance(), 1e-9 * b.noise_variance());
    EXPECT_LT((8 * a.Mean(one.X) - b.Mean(one.X)).norm(), 1e-9 * b.Mean(one.X).norm());
  }
}

// The two four-point datasets of the paper's Appendix C differ in how one column is shuffled; what the network makes of
// their noise must too.
TEST(OneShot, ShufflingOneColumnAloneIsNoSymmetry) {
  const Vector y = (Vector(4) << -1.0, 1.0, -1.0, 1.0).finished();
  const Matrix first = (Matrix(4, 2) << 0, 0, 0, 1, 1, 0, 1, 1).finished();
  const Matrix second = (Matrix(4, 2) << 0, 0, 0, 1, 1, 1, 1, 0).finished();
  const TrainedNetwork& network = TrainedNetwork::Embedded();
  const Structure structure = *ToStructure(ParseKernel("SE", DefaultColumnNames(2)));
  const auto noise = [&](const Matrix& X) {
    return InferOneShot(network, network.Encode(AlreadyScaled(X, y)), structure, {.bare = true})
        .posterior.noise_variance();
  };
  const double a = noise(first), b = noise(second);
  EXPECT_GT(std::abs(std::log(a / b)), 1e-3);
}

TEST(OneShot, ThreadsDoNotChangeTheBits) {
  for (const auto& [n, d] : {std::pair{30, 1}, {90, 3}, {300, 2}, {600, 2}}) {
    const Simulated s = testing::DrawSimulated(n, d, 77, 9);
    for (const Method method : {Method::kOneShot, Method::kRefine}) {
      const Model one =
          Fit(Dataset::Of(s.X, s.y), testing::TextOf(s.given), {.method = method, .steps = 3}, {.threads = 1});
      const Model four =
          Fit(Dataset::Of(s.X, s.y), testing::TextOf(s.given), {.method = method, .steps = 3}, {.threads = 4});
      EXPECT_EQ(one.posterior().theta(), four.posterior().theta());
      EXPECT_EQ(one.posterior().L(), four.posterior().L());
    }
  }
}

// What is kept of the scoring is the posterior at the reported parameters.
TEST(OneShot, TheModelIsThePosteriorAtItsParameters) {
  for (const int n : {1, 2, 30, kRankingRows, kRankingRows + 1, 200, 201, 400}) {
    const Simulated s = testing::DrawSimulated(n, 2, 77, 3);
    const Model model = Fit(Dataset::Of(s.X, s.y), testing::TextOf(s.given));
    const Posterior& kept = model.posterior();
    const Posterior fresh(kept.expression(), kept.X(), kept.y(), kept.theta());
    EXPECT_LT((kept.L() - fresh.L()).norm(), 1e-9 * fresh.L().norm());
    EXPECT_LT((kept.alpha() - fresh.alpha()).norm(), 1e-6 * (1 + fresh.alpha().norm()));
    EXPECT_NEAR(kept.nlml(), fresh.nlml(), 1e-9 * (1 + std::abs(fresh.nlml())));
    EXPECT_EQ(model.summary().nlml, kept.nlml());
  }
}

TEST(OneShot, AnEncodingServesManyStructures) {
  const Simulated s = testing::DrawSimulated(60, 2, 77, 4);
  const Dataset data = Dataset::Of(s.X, s.y);
  Session session;
  const Encoding encoding = session.Encode(data);
  std::vector<Structure> structures;
  for (std::uint64_t k = 0; k < 12; ++k) structures.push_back(testing::DrawSimulated(10, 2, 77, 100 + k).given);
  const std::vector<Matrix> batch = TrainedNetwork::Embedded().Decode(encoding, structures);
  for (std::size_t k = 0; k < structures.size(); ++k) {
    const Matrix alone = TrainedNetwork::Embedded().Decode(encoding, structures[k]);
    EXPECT_LT((batch[k] - alone).cwiseAbs().maxCoeff(), 1e-5);
    EXPECT_EQ(session.Fit(encoding, testing::TextOf(structures[k])).posterior().theta(),
              Fit(data, testing::TextOf(structures[k])).posterior().theta());
  }
  EXPECT_THROW(session.Fit(encoding, "SE", {.method = Method::kMl}), Error);
}

TEST(OneShot, ReadsOnlyTheColumnsTheKernelNames) {
  const Simulated s = testing::DrawSimulated(50, 1, 77, 5);
  RandomStream random(6);
  Matrix wide = testing::UniformMatrix(random, 50, 3);
  wide.col(1) = s.X.col(0);
  const Vector narrow = Fit(Dataset::Of(s.X, s.y), "SE(x1) + LIN(x1)").posterior().theta();
  EXPECT_EQ(Fit(Dataset::Of(wide, s.y), "SE(x2) + LIN(x2)").posterior().theta(), narrow);
  Session session;
  const Encoding part = session.Encode(Dataset::Of(wide, s.y), {1});
  EXPECT_THROW(session.Fit(part, "SE(x3)"), Error);
}

TEST(OneShot, RefineIsNeverWorse) {
  for (int k = 0; k < 20; ++k) {
    const Simulated s = testing::DrawSimulated(40, 1 + k % 4, 77, 200 + k);
    const std::string kernel = testing::TextOf(s.given);
    const double before = Nlml(s.X, s.y, kernel);
    const double few = Nlml(s.X, s.y, kernel, {.method = Method::kRefine, .steps = 3});
    const double many = Nlml(s.X, s.y, kernel, {.method = Method::kRefine});
    EXPECT_LE(few, before + 1e-12);
    // More steps may end where the rows do not speak for the noise; holding it then costs a little likelihood.
    EXPECT_LE(many, few + 0.01);
  }
  const Simulated s = testing::DrawSimulated(12, 1, 77, 230);
  const FitOptions map = {.method = Method::kRefine, .map = true};
  EXPECT_TRUE(std::isfinite(Nlml(s.X, s.y, "SE", map)));
}

TEST(Ahgp, AnswersForSeOnItsColumnsAndRefusesTheRest) {
  const Simulated s = testing::DrawSimulated(50, 3, 77, 9);
  const Dataset data = Dataset::Of(s.X, s.y);
  const FitOptions ahgp = {.method = Method::kAhgp};
  const Model model = Fit(data, "SE", ahgp);
  EXPECT_EQ(model.summary().method, "ahgp");
  const Vector theta = model.posterior().theta();
  EXPECT_NEAR(theta[0], theta[2], 1e-12);  // one scale, shared out
  EXPECT_EQ(Fit(data, "SE(x1)*SE(x3)", ahgp).posterior().theta().size(), 5);
  EXPECT_THROW(Fit(data, "SE + LIN", ahgp), Error);
  EXPECT_THROW(Fit(data, "SE", ahgp, {.network = &TrainedNetwork::Embedded()}), Error);
}

TEST(OneShot, FitsOneAfterAnotherOnThreadsThatAreKept) {
  Session session({.threads = 2});
  for (int k = 0; k < 6; ++k) {
    const Simulated s = testing::DrawSimulated(40 + 30 * k, 1 + k % 3, 77, 20 + static_cast<std::uint64_t>(k));
    const Dataset data = Dataset::Of(s.X, s.y);
    const std::string kernel = Print(ToExpression(s.given), data.column_names);
    for (const Method method : {Method::kOneShot, Method::kRefine}) {
      const Model kept = session.Fit(data, kernel, {.method = method, .steps = 3});
      const Model own = Fit(data, kernel, {.method = method, .steps = 3}, {.threads = 1});
      EXPECT_EQ(kept.posterior().theta(), own.posterior().theta()) << kernel;
    }
  }
}

TEST(TrainedNetwork, ThreadsShareHypothesesWithoutChangingABit) {
  const TrainedNetwork& network = TrainedNetwork::Embedded();
  const Simulated s = testing::DrawSimulated(60, 3, 77, 14);
  const Encoding encoding = network.Encode(Dataset::Of(s.X, s.y));
  const Matrix alone = network.Decode(encoding, s.given);
  for (int threads = 1; threads <= network.config().hypotheses + 1; ++threads) {
    ThreadPool pool(threads);
    EXPECT_EQ(network.Decode(encoding, s.given, &pool), alone) << threads;
  }
}

TEST(TrainedNetwork, ReadsAsManyRowsAsItIsAskedTo) {
  const TrainedNetwork& network = TrainedNetwork::Embedded();
  const int trained = network.config().trained_max_n;
  for (const int n : {10, 64, 65, 300, trained + 1}) {
    const Simulated s = testing::DrawSimulated(n, 1, 77, 15);
    const Dataset data = Dataset::Of(s.X, s.y);
    EXPECT_EQ(network.Encode(data).rows_read, std::min(n, std::clamp(n / 3, 64, 128)));
    EXPECT_EQ(network.Encode(data, {}, nullptr, 200).rows_read, std::min(n, 200));
    EXPECT_EQ(network.Encode(data, {}, nullptr, 10000).rows_read, std::min(n, trained));
    const Encoding all = network.Encode(data, {}, nullptr, n), fewer = network.Encode(data, {}, nullptr, 50);
    EXPECT_EQ(all.embedding->values == fewer.embedding->values, n <= 50) << n;
  }
}

TEST(OneShot, BeyondTheTrainedRangeItSaysSo) {
  const int max_n = TrainedNetwork::Embedded().config().trained_max_n;
  const int too_wide = TrainedNetwork::Embedded().config().trained_max_d + 3;
  const Simulated s = testing::DrawSimulated(max_n + 50, 1, 77, 8);
  const Model model = Fit(Dataset::Of(s.X, s.y), "SE");
  EXPECT_EQ(model.rows(), max_n + 50);
  ASSERT_EQ(model.warnings().size(), 1u);
  EXPECT_NE(model.warnings()[0].find(std::to_string(max_n)), std::string::npos);
  EXPECT_NE(model.warnings()[0].find("it read " + std::to_string(RowsReadForOneFit(model.posterior().X().rows()))),
            std::string::npos);
  const Model wide = Fit(Dataset::Of(Matrix::Random(30, too_wide), Vector::Random(30)), "SE");
  ASSERT_EQ(wide.warnings().size(), 1u);
  EXPECT_NE(wide.warnings()[0].find(std::to_string(too_wide) + " columns"), std::string::npos);
}

TEST(OneShot, OutsideTheFamilyTheErrorNamesTheWayOut) {
  for (const char* kernel : {"SE(x1) + SE(x2)", "SE*LIN*PER", "(SE + LIN)*PER"}) {
    try {
      Fit(Dataset::Of(Matrix::Random(10, 2), Vector::Random(10)), kernel);
      ADD_FAILURE() << kernel;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadInput);
      EXPECT_EQ(error.remedies(), (std::vector<Remedy>{{"method", "map"}}));
      EXPECT_NE(std::string(error.what()).find("the method map"), std::string::npos) << error.what();
    }
  }
}

TEST(Subsample, SpreadsOverTheDataWhateverTheOrder) {
  RandomStream random(3);
  const Matrix X = testing::UniformMatrix(random, 1000, 2);
  const Vector y = testing::NormalVector(random, 1000);
  const std::vector<int> rows = SpreadRows(X, y, 64);
  ASSERT_EQ(rows.size(), 64u);
  EXPECT_TRUE(std::adjacent_find(rows.begin(), rows.end(), std::greater_equal<>()) == rows.end());
  int cells[4][4] = {};
  for (const int row : rows) ++cells[static_cast<int>(4 * X(row, 0))][static_cast<int>(4 * X(row, 1))];
  for (const auto& line : cells) {
    for (const int count : line) EXPECT_TRUE(count >= 2 && count <= 7) << count;
  }
  const std::vector<int> order = Shuffled(1000, random);
  std::vector<int> back;
  for (const int row : SpreadRows(SelectRows(X, order), SelectRows(y, order), 64)) back.push_back(order[row]);
  std::sort(back.begin(), back.end());
  EXPECT_EQ(back, rows);
  EXPECT_EQ(SpreadRows(X.rowwise().reverse(), y, 64), rows);  // columns in another order
  EXPECT_EQ(SpreadRows(X, y, 5000).size(), 1000u);
}

}  // namespace
}  // namespace instantgp

#include "instantgp/model/session.h"

#include <memory>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "instantgp/base/error.h"
#include "instantgp/gp/posterior.h"
#include "instantgp/kernel/parse.h"
#include "instantgp/model/fit.h"
#include "instantgp/model/fit_ensemble.h"
#include "instantgp/model/methods.h"
#include "instantgp/model/update.h"
#include "tests/support/tables.h"

namespace instantgp {
namespace {

template <typename F>
Error ErrorOf(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return Error(ErrorCode::kFailure, "none");
}

TEST(Methods, TheTableIsComplete) {
  std::set<std::string_view> names, titles;
  for (const MethodInfo& info : Methods()) {
    EXPECT_EQ(&InfoOf(info.method), &info);
    EXPECT_EQ(MethodFromName(info.name), info.method);
    EXPECT_NE(ListMethods().find(info.name), std::string::npos);
    EXPECT_TRUE(names.insert(info.name).second && titles.insert(info.title).second) << info.name;
    EXPECT_FALSE(info.how.empty());
    EXPECT_NE(info.sparse || info.method == Method::kNeighbours, info.matrices > 0);
    const FitCost small = EstimateCost(100, {.method = info.method}),
                  large = EstimateCost(1000, {.method = info.method});
    EXPECT_GT(small.bytes, 0);
    EXPECT_GT(large.bytes, small.bytes);
    EXPECT_GT(large.seconds, small.seconds);
  }
  EXPECT_FALSE(MethodFromName("fastest").has_value());
}

// Every method of the table through every door that takes it gives the same model.
TEST(Session, OneWayInForEveryMethod) {
  const Dataset data = testing::DrawTable(50, 2, 4711, 1);
  Session session({.threads = 2});
  const Encoding encoding = session.Encode(data);
  for (const MethodInfo& info : Methods()) {
    const FitOptions options = {.method = info.method, .steps = 3, .restarts = 2, .inducing = 10};
    const Model own = Fit(data, "SE", options), kept = session.Fit(data, "SE", options);
    EXPECT_EQ(own.summary().method, info.name);
    EXPECT_EQ(own.predictive().theta(), kept.predictive().theta()) << info.name;
    if (!info.uses_network || info.method == Method::kNeighbours) {
      const Error error = ErrorOf([&] { session.Fit(encoding, "SE", options); });
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
      EXPECT_EQ(error.remedies(), (std::vector<Remedy>{{"method", "oneshot"}}));
    } else if (info.method != Method::kAhgp) {
      EXPECT_EQ(session.Fit(encoding, "SE", options).posterior().theta(), own.posterior().theta()) << info.name;
    }
    if (info.method == Method::kNeighbours) continue;  // for a single model
    const std::vector<Expression> kernels = {ParseKernel("SE", data.column_names)};
    const std::vector<FitAttempt> attempts = session.FitAll(data, kernels, options);
    ASSERT_EQ(attempts.size(), 1u);
    ASSERT_TRUE(attempts[0].model.has_value()) << attempts[0].failure;
    if (!info.uses_network) {
      EXPECT_EQ(attempts[0].model->predictive().theta(), own.predictive().theta()) << info.name;
    }
  }
}

// A limit that three matrices of 40 rows exceed: every door refuses, with what would help as data.
TEST(Session, EveryDoorKeepsTheMemoryLimit) {
  const Dataset data = testing::DrawTable(40, 1, 4711, 2);
  const double matrix = 8.0 * 40 * 40;
  const SessionOptions small = {.memory_limit = 1.5 * matrix};
  for (const MethodInfo& info : Methods()) {
    const Error error = ErrorOf([&] { Fit(data, "SE", {.method = info.method, .exact = true}, small); });
    EXPECT_EQ(error.code(), ErrorCode::kLimit) << info.name;
    const std::vector<Remedy> exact = {{"method", "neighbours"}}, sparse = {{"inducing", "500"}};
    if (info.method == Method::kNeighbours) continue;  // has none: fewer rows
    EXPECT_EQ(error.remedies(), info.sparse ? sparse : exact);
  }
  EXPECT_EQ(ErrorOf([&] { FitEnsemble(data, {{"SE", "LIN"}}, {}, small); }).code(), ErrorCode::kLimit);
  const Model model = Fit(data, "SE");
  const auto update = [&] { Update(model, data.X.topRows(1), data.y.head(1), {}, small); };
  EXPECT_EQ(ErrorOf(update).code(), ErrorCode::kLimit);
}

TEST(Session, WarningsOfTheDataComeWithTheEncoding) {
  Dataset data = testing::DrawTable(30, 2, 4711, 3);
  data.X.col(1).setConstant(4);
  Session session;
  const Encoding encoding = session.Encode(data);
  ASSERT_EQ(encoding.warnings.size(), 1u);
  EXPECT_NE(encoding.warnings[0].find("'x2' is constant"), std::string::npos);
  EXPECT_EQ(session.Fit(encoding, "SE").warnings(), Fit(data, "SE").warnings());
  EXPECT_EQ(Fit(data, "SE", {.method = Method::kMl, .steps = 200}).warnings(), encoding.warnings);
}

TEST(Session, WeightsOfAFileServeLikeThoseInside) {
  const Dataset data = testing::DrawTable(30, 1, 4711, 5);
  const std::shared_ptr<const TrainedNetwork> network =
      LoadNetwork(INSTANTGP_SOURCE_DIR "/models/ahgp-se-ard.safetensors");
  const FitOptions ahgp = {.method = Method::kAhgp};
  EXPECT_EQ(Fit(data, "SE", ahgp, {.network = network.get()}).posterior().theta(),
            Fit(data, "SE", ahgp).posterior().theta());
  EXPECT_EQ(ErrorOf([] { LoadNetwork("no such file"); }).code(), ErrorCode::kBadInput);
}

TEST(Session, OptionsThatDoNotGoTogether) {
  const Dataset data = testing::DrawTable(20, 1, 4711, 4);
  for (const MethodInfo& info : Methods()) {
    if (info.method == Method::kRefine || info.method == Method::kMap) continue;
    const Error error = ErrorOf([&] { Fit(data, "SE", {.method = info.method, .map = true}); });
    EXPECT_EQ(error.code(), ErrorCode::kUsage) << info.name;
    EXPECT_EQ(error.remedies(), (std::vector<Remedy>{{"method", "map"}}));
  }
  EXPECT_EQ(ErrorOf([&] { Session({.threads = -1}); }).remedies(), (std::vector<Remedy>{{"threads"}}));
  EXPECT_EQ(ErrorOf([&] { Session({.memory_limit = 0}); }).code(), ErrorCode::kUsage);
  std::stop_source source;
  source.request_stop();
  for (const MethodInfo& info : Methods()) {
    const Error error = ErrorOf([&] { Fit(data, "SE", {.method = info.method}, {.stop = source.get_token()}); });
    EXPECT_EQ(error.code(), ErrorCode::kInterrupted) << info.name;
  }
}

}  // namespace
}  // namespace instantgp

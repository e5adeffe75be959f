// The live connection: every kernel from one encoding, errors in their place, the newest message first.
#include <gtest/gtest.h>

#include <cmath>

#include "instantgp/data/dataset.h"
#include "instantgp/model/session.h"
#include "tests/serve/server_support.h"
#include "tests/support/live_socket.h"

namespace instantgp::testing {
namespace {

using nlohmann::json;

json Message(int seq, int points = 30) {
  json list = json::array();
  for (int i = 0; i < points; ++i) list.push_back({0.2 * i, std::sin(0.9 * i) + 0.01 * ((7 * i) % 5)});
  return {{"seq", seq}, {"points", list}, {"kernels", {"SE", "LIN", "PER", "SE + PER", "LIN + SE*PER"}},
          {"grid", 50}, {"low", 0},       {"high", 8}};
}

TEST(ServeLive, EveryKernelIsInferredFromOneMessage) {
  const RunningServer server;
  LiveSocket socket(server.port());
  ASSERT_EQ(socket.reply().status, 101);
  EXPECT_EQ(socket.reply().headers.at("sec-websocket-accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  json message = Message(7);
  message["samples"] = 2;
  message["held_out"] = {{6.5, 0.1}, {7.5, -0.4}};
  socket.Send(message);
  const json answer = socket.Receive();
  EXPECT_EQ(answer["seq"], 7);
  ASSERT_EQ(answer["kernels"].size(), 5u);
  EXPECT_EQ(answer["ranking"].size(), 5u);
  double weights = 0;
  for (const json& kernel : answer["kernels"]) {
    EXPECT_EQ(kernel["mean"].size(), 50u);
    EXPECT_EQ(kernel["std"].size(), 50u);
    EXPECT_EQ(kernel["samples"].size(), 2u);
    EXPECT_TRUE(kernel["holdout"].contains("rmse"));
    EXPECT_FALSE(kernel["words"].get<std::string>().empty());
    weights += kernel["weight"].get<double>();
  }
  EXPECT_NEAR(weights, 1, 1e-12);
  const json& best = answer["kernels"][answer["ranking"][0].get<std::size_t>()];
  EXPECT_TRUE(best.contains("explanation"));
  EXPECT_TRUE(best.contains("parameters"));
  for (const char* part : {"encode", "decode", "factorize", "predict", "total"}) {
    EXPECT_GT(answer["time_ms"][part].get<double>(), 0) << part;
  }
}

TEST(ServeLive, NumbersAreThoseOfTheLibrary) {
  const RunningServer server;
  LiveSocket socket(server.port());
  const json message = Message(1);
  socket.Send(message);
  const json answer = socket.Receive();
  Matrix X(30, 1);
  Vector y(30);
  for (int i = 0; i < 30; ++i) {
    X(i, 0) = message["points"][static_cast<std::size_t>(i)][0];
    y[i] = message["points"][static_cast<std::size_t>(i)][1];
  }
  const Dataset data = Dataset::Of(X, y, {"x"}, "y");
  Session session;
  // Several kernels of one message go without averaging over draws, as the members of an ensemble do.
  const Model averaged = session.Fit(session.Encode(data), "SE");
  const Model model = averaged.Averaged(averaged.Draws().leftCols(0));
  const Prediction expected = model.Predict(Vector::LinSpaced(50, 0, 8));
  for (Index i = 0; i < 50; ++i) {
    EXPECT_EQ(answer["kernels"][0]["mean"][static_cast<std::size_t>(i)].get<double>(), expected.mean[i]);
    EXPECT_EQ(answer["kernels"][0]["std"][static_cast<std::size_t>(i)].get<double>(), expected.std[i]);
  }
}

TEST(ServeLive, WhileAPointMovesAnswersGoOnFromTheOneBefore) {
  const RunningServer server;
  LiveSocket moving(server.port()), resting(server.port());
  const auto ask = [](LiveSocket& socket, json message, bool follow) {
    if (follow) message["follow"] = true;
    socket.Send(message);
    return socket.Receive()["kernels"];
  };
  // Without an answer before there is nothing to go on from.
  EXPECT_EQ(ask(moving, Message(1), true), ask(resting, Message(1), false));
  for (int move = 2; move < 8; ++move) {
    json message = Message(move);
    message["points"][10][1] = 0.2 * move;
    const json followed = ask(moving, message, true), searched = ask(resting, message, false);
    for (std::size_t k = 0; k < searched.size(); ++k) {
      EXPECT_LE(followed[k]["nlml_per_point"].get<double>(), searched[k]["nlml_per_point"].get<double>() + 0.03)
          << searched[k]["kernel"] << ", move " << move;
    }
    EXPECT_EQ(ask(moving, message, false), searched) << "a search does not depend on what was before it";
  }
}

TEST(ServeLive, AWrongKernelIsMarkedAndNoObstacle) {
  const RunningServer server;
  LiveSocket socket(server.port());
  json message = Message(1);
  message["kernels"] = {"SE", "SE + PEER", "(SE", "", "SE(z)"};
  socket.Send(message);
  const json answer = socket.Receive();
  EXPECT_TRUE(answer["kernels"][0].contains("mean"));
  EXPECT_EQ(answer["kernels"][1]["error"]["position"], 5);
  EXPECT_EQ(answer["kernels"][2]["error"]["position"], 0);
  EXPECT_TRUE(answer["kernels"][3].contains("error"));
  EXPECT_EQ(answer["kernels"][4]["error"]["position"], 3);
  EXPECT_EQ(answer["ranking"], json::array({0}));
}

TEST(ServeLive, BrokenMessagesGetAProblemAndTheConnectionStays) {
  const RunningServer server;
  LiveSocket socket(server.port());
  for (const std::string text :
       {"{", "[1]", "{\"points\": 3}", "{\"points\": []}", "{\"points\": [[1]]}", "{\"points\": [[1, null]]}",
        "{\"points\": [[1, 2]], \"kernels\": 5}", "{\"points\": [[1, 2]], \"grid\": 1e9}",
        "{\"points\": [[1, 2]], \"low\": 2, \"high\": 1}", "{\"points\": [[1, 2]], \"colour\": 1}"}) {
    socket.Send(text);
    EXPECT_TRUE(socket.Receive().contains("problem")) << text;
  }
  socket.Send(Message(3, 3000));
  EXPECT_EQ(socket.Receive()["problem"]["status"], 413);
  for (const int points : {1, 2, 3}) {
    socket.Send(Message(points, points));
    EXPECT_EQ(socket.Receive()["seq"], points);
  }
}

TEST(ServeLive, TheNewestMessageIsAnsweredAndOnesInBetweenAreNot) {
  const RunningServer server({"--threads", "1"});
  LiveSocket socket(server.port());
  for (int seq = 1; seq <= 100; ++seq) socket.Send(Message(seq, 200));
  int answers = 0, last = 0;
  while (last < 100) {
    const json answer = socket.Receive();
    ASSERT_TRUE(answer.contains("seq"));
    EXPECT_GT(answer["seq"].get<int>(), last);
    last = answer["seq"];
    ++answers;
  }
  EXPECT_EQ(last, 100);
  EXPECT_LT(answers, 50);
}

TEST(ServeLive, TokensAndOrigins) {
  const RunningServer server({"--token", "0123456789abcdef-secret"});
  EXPECT_EQ(LiveSocket(server.port()).reply().status, 401);
  EXPECT_EQ(LiveSocket(server.port(), {{"Sec-WebSocket-Protocol", "instantgp, bearer.wrong"}}).reply().status, 401);
  LiveSocket good(server.port(), {{"Sec-WebSocket-Protocol", "instantgp, bearer.0123456789abcdef-secret"}});
  EXPECT_EQ(good.reply().status, 101);
  EXPECT_EQ(good.reply().headers.at("sec-websocket-protocol"), "instantgp");
  const RunningServer open;
  EXPECT_EQ(LiveSocket(open.port(), {{"Origin", "http://evil.example"}}).reply().status, 403);
}

}  // namespace
}  // namespace instantgp::testing

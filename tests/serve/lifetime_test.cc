// Slow clients, clients that go away, the end of the server.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "tests/cli/cli_support.h"
#include "tests/serve/server_support.h"

namespace instantgp::testing {
namespace {

using nlohmann::json;

// A fit that takes seconds, and can be stopped.
std::string LongFit(const RunningServer& server) {
  const json request = {{"csv", RandomCsv(700, 3)}, {"method", "multistart"}, {"restarts", 10}};
  return RequestText(server.host(), "POST", "/v1/fit", request.dump(), {{"Content-Type", "application/json"}});
}

bool Eventually(const std::function<bool()>& true_at_last) {
  for (int k = 0; k < 200; ++k) {
    if (true_at_last()) return true;
    ::usleep(50 * 1000);
  }
  return false;
}

TEST(ServeLifetime, KeepsConnectionsAndAnswersInOrder) {
  const RunningServer server;
  Client client(server.port());
  const std::string fit =
      RequestText(server.host(), "POST", "/v1/fit", "a,y\n1,2\n2,3\n4,4\n", {{"Content-Type", "text/csv"}});
  client.Send(fit + RequestText(server.host(), "GET", "/healthz") + fit);
  EXPECT_EQ(client.Read().json()["schema"], "instantgp/fit/1");
  EXPECT_EQ(client.Read().json()["status"], "ok");
  EXPECT_EQ(client.Read().json()["schema"], "instantgp/fit/1");
  client.Send("GET /healthz HTTP/1.1\r\nHost: " + server.host() + "\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(client.Read().headers.at("connection"), "close");
  EXPECT_EQ(client.ReadSome(1), "");
}

TEST(ServeLifetime, ExpectContinue) {
  const RunningServer server;
  Client client(server.port());
  client.Send("POST /v1/fit HTTP/1.1\r\nHost: " + server.host() +
              "\r\nContent-Type: text/csv\r\nContent-Length: 17\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.ReadSome(25), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send("a,y\n1,2\n2,3\n4,4\n\n");
  EXPECT_EQ(client.Read().status, 200);
}

TEST(ServeLifetime, AClientThatGoesAwayStopsItsWork) {
  const RunningServer server;
  {
    Client client(server.port());
    client.Send(LongFit(server));
    EXPECT_TRUE(Eventually([&] { return server.Metric("instantgp_requests_busy ") == 1; }));
  }
  EXPECT_TRUE(
      Eventually([&] { return server.Metric("instantgp_requests_total{path=\"/v1/fit\",status=\"499\"} ") == 1; }));
  EXPECT_EQ(server.Metric("instantgp_requests_busy "), 0);
}

TEST(ServeLifetime, TooLongAndTooMany) {
  const RunningServer server({"--max-seconds", "1", "--max-waiting", "2", "--threads", "1"});
  std::vector<std::unique_ptr<Client>> clients;
  for (int k = 0; k < 2; ++k) {
    clients.push_back(std::make_unique<Client>(server.port()));
    // Estimated below a second, for the estimate counts factorisations, of which these are small; it takes longer.
    const json request = {{"csv", RandomCsv(30, 2)}, {"method", "multistart"}, {"restarts", 2800}};
    clients.back()->Send(
        RequestText(server.host(), "POST", "/v1/fit", request.dump(), {{"Content-Type", "application/json"}}));
  }
  ASSERT_TRUE(Eventually([&] { return server.Metric("instantgp_requests_busy ") == 2; }));
  const Reply refused = server.PostCsv("/v1/fit", "a,y\n1,2\n2,3\n4,4\n");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.headers.at("retry-after"), "1");
  EXPECT_EQ(server.Ask("GET", "/healthz").status, 200);
  for (const auto& client : clients) {
    const Reply late = client->Read();
    EXPECT_EQ(late.status, 503) << late.body;
    EXPECT_TRUE(late.headers.contains("retry-after"));
  }
}

TEST(ServeLifetime, SlowClientsDoNotStopAHealthyOne) {
  const RunningServer server;
  std::vector<std::unique_ptr<Client>> slow;
  for (int k = 0; k < 300; ++k) {
    slow.push_back(std::make_unique<Client>(server.port()));
    slow.back()->Send(k % 2 == 0 ? "GET /healthz HTTP/1.1\r\nHo" : "");
  }
  double slowest = 0;
  for (int k = 0; k < 20; ++k) {
    const Reply reply = server.PostCsv("/v1/fit", "a,y\n1,2\n2,3\n4,4\n");
    ASSERT_EQ(reply.status, 200);
    slowest = std::max(slowest, reply.milliseconds);
  }
  EXPECT_LT(slowest, 1000);
  EXPECT_GE(server.Metric("instantgp_connections "), 300);
}

TEST(ServeLifetime, ASignalLetsRequestsFinish) {
  for (const int signal : {SIGTERM, SIGINT}) {
    RunningServer server;
    Client idle(server.port()), working(server.port());
    const json request = {{"csv", RandomCsv(300, 2)}, {"method", "multistart"}, {"restarts", 2}};
    working.Send(RequestText(server.host(), "POST", "/v1/fit", request.dump(), {{"Content-Type", "application/json"}}));
    ASSERT_TRUE(Eventually([&] { return server.Metric("instantgp_requests_busy ") == 1; }));
    server.Signal(signal);
    const Reply reply = working.Read();
    EXPECT_EQ(reply.status, 200) << reply.body;
    EXPECT_EQ(reply.headers.at("connection"), "close");
    EXPECT_EQ(idle.ReadSome(1), "");
    EXPECT_EQ(server.Wait(), 0);
  }
}

TEST(ServeLifetime, AnotherServerTakesOverAfterAKill) {
  int port = 0;
  std::string file;
  const std::string csv = RandomCsv(20, 1);
  {
    RunningServer server;
    port = server.port();
    file = server.Ask("GET", "/v1/models/" + server.PostCsv("/v1/fit", csv).json()["model"].get<std::string>()).body;
    Client client(port);
    client.Send(LongFit(server));
    ASSERT_TRUE(Eventually([&] { return server.Metric("instantgp_requests_busy ") == 1; }));
    server.Signal(SIGKILL);
    EXPECT_EQ(client.Read().status, 0);
    EXPECT_EQ(server.Wait(), 128 + SIGKILL);
  }
  const RunningServer again({}, port);
  EXPECT_EQ(again.PostCsv("/v1/fit", csv).status, 200);
  const Reply model = again.Ask("POST", "/v1/models", file);
  EXPECT_EQ(model.status, 201);
  EXPECT_EQ(again.Post("/v1/predict", {{"model", model.json()["model"]}, {"csv", "x1\n0.5\n"}}).status, 200);
}

}  // namespace
}  // namespace instantgp::testing

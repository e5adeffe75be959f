// Whatever a client sends, it gets an answer that says what is wrong, soon, and the server goes on.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/cli/cli_support.h"
#include "tests/serve/server_support.h"

namespace instantgp::testing {
namespace {

using nlohmann::json;

const RunningServer& Strict() {
  static const RunningServer server({"--max-body", "1"});
  return server;
}

json ExpectProblem(const Reply& reply, int status) {
  EXPECT_EQ(reply.status, status) << reply.body;
  EXPECT_EQ(reply.headers.at("content-type"), "application/problem+json");
  const json document = reply.json();
  EXPECT_EQ(document["status"], status);
  EXPECT_FALSE(document["detail"].get<std::string>().empty());
  EXPECT_FALSE(document["title"].get<std::string>().empty());
  EXPECT_TRUE(document.contains("type"));
  return document;
}

TEST(ServeProblems, SayWhereAndWhatToDo) {
  const json cell = ExpectProblem(Strict().PostCsv("/v1/fit", "a,y\n1,2\n2,3\noops,4\n5,6\n"), 422);
  EXPECT_EQ(cell["line"], 4);
  EXPECT_EQ(cell["column"], "a");
  const json kernel = ExpectProblem(Strict().PostCsv("/v1/fit?kernel=SE%20%2B%20PEER", "a,y\n1,2\n2,3\n3,4\n"), 422);
  EXPECT_EQ(kernel["position"], 5);
  EXPECT_NE(kernel["detail"].get<std::string>().find("PER"), std::string::npos);
  const json option = ExpectProblem(Strict().PostCsv("/v1/fit?kernl=SE", "a,y\n1,2\n2,3\n"), 400);
  EXPECT_NE(option["detail"].get<std::string>().find("'kernel'"), std::string::npos);
  const json remedy = ExpectProblem(Strict().PostCsv("/v1/fit?missing=error", "a,y\n1,2\n,3\n4,5\n6,7\n"), 422);
  EXPECT_EQ(remedy["remedy"][0]["option"], "missing");
  ExpectProblem(Strict().Post("/v1/predict", {{"model", "none"}, {"csv", "a\n1\n"}}), 404);
  ExpectProblem(Strict().Post("/v1/forecast", {{"csv", "t,y\n1,2\n"}}), 400);
}

TEST(ServeProblems, AddressesMethodsAndTypes) {
  ExpectProblem(Strict().Ask("GET", "/nowhere"), 404);
  ExpectProblem(Strict().Ask("GET", "/../etc/passwd"), 404);
  EXPECT_EQ(ExpectProblem(Strict().Ask("GET", "/v1/fit"), 405)["status"], 405);
  EXPECT_EQ(Strict().Ask("GET", "/v1/fit").headers.at("allow"), "POST");
  ExpectProblem(Strict().Ask("OST", "/v1/fit"), 405);
  ExpectProblem(Strict().Ask("POST", "/v1/fit", "x", {{"Content-Type", "image/png"}}), 415);
  ExpectProblem(Strict().Ask("POST", "/v1/fit", "x", {{"Content-Encoding", "gzip"}}), 415);
  ExpectProblem(Strict().Ask("GET", "/v1/live"), 400);
}

// The fastest of a few: other processes of this machine may be at work.
double Fastest(const std::function<Reply()>& ask) {
  double fastest = 1e9;
  for (int k = 0; k < 5; ++k) fastest = std::min(fastest, ask().milliseconds);
  return fastest;
}

TEST(ServeProblems, HostileBodiesAreRefusedSoon) {
  const std::string deep(100000, '['), objects = [] {
    std::string text;
    for (int k = 0; k < 20000; ++k) text += "{\"a\":";
    return text;
  }();
  const std::vector<std::string> bodies = {
      "",
      "{",
      "{\"csv\": \"a,y\\n1,2",
      "[]",
      "null",
      "\"csv\"",
      deep,
      "{\"csv\":" + deep,
      objects,
      "{\"csv\": \"\xff\xfe\"}",
      "{\"csv\": NaN}",
      "{\"columns\": {\"x\": [1, NaN], \"y\": [1, 2]}}",
      "{\"columns\": {\"x\": [1, 1e999], \"y\": [1, 2]}}",
      "{\"columns\": {\"x\": [1, 2], \"y\": [1]}}",
      "{\"columns\": {\"x\": [[1], 2], \"y\": [1, 2]}}",
      "{\"columns\": []}",
      "{\"columns\": {}}",
      "{\"csv\": 3}",
      "{\"csv\": \"a,y\\n1,2\\n3,4\", \"steps\": -1}",
      "{\"csv\": \"a,y\\n1,2\\n3,4\", \"seed\": -1}",
      "{\"csv\": \"a,y\\n1,2\\n3,4\", \"holdout\": 7}",
      "{\"csv\": \"a,y\\n1,nan\\n3,inf\"}",
      "{\"csv\": \"a,y\\n1,2\\n3,4\", \"kernel\": \"" + std::string(5000, '(') + "\"}",
      "{\"csv\": \"a,y\\n1,2\\n3,4\", \"kernel\": [1]}",
      std::string("{\"csv\": \"a,y\\n1,2\\n\0\"}", 22),
  };
  for (const std::string& body : bodies) {
    const auto ask = [&] { return Strict().Ask("POST", "/v1/fit", body, {{"Content-Type", "application/json"}}); };
    const Reply reply = ask();
    EXPECT_GE(reply.status, 400) << body.substr(0, 80);
    EXPECT_LT(reply.status, 500) << body.substr(0, 80);
    EXPECT_LT(Fastest(ask), 50) << body.substr(0, 80);
  }
  for (const std::string& csv : {std::string("\xff\xfe\x00\x01", 4), std::string("a,y\n1,\"2"), std::string("a\n1\n"),
                                 std::string("nan,nan\nnan,nan\n"), std::string(100000, ','), std::string("\n\n\n")}) {
    const Reply reply = Strict().PostCsv("/v1/fit", csv);
    EXPECT_GE(reply.status, 400) << csv.substr(0, 40);
    EXPECT_LT(reply.status, 500) << csv.substr(0, 40);
  }
}

TEST(ServeProblems, TooLargeIsSaidBeforeItIsRead) {
  // Announced, and sent without being announced.
  const auto announced = [&] {
    Client client(Strict().port());
    client.Send("POST /v1/fit HTTP/1.1\r\nHost: " + Strict().host() + "\r\nContent-Length: 99999999999\r\n\r\n");
    return client.Read();
  };
  EXPECT_EQ(announced().status, 413);
  EXPECT_LT(Fastest(announced), 50);
  EXPECT_EQ(Strict().Ask("POST", "/v1/fit", std::string(3 << 20, 'x')).status, 413);
  Client chunked(Strict().port());
  chunked.Send("POST /v1/fit HTTP/1.1\r\nHost: " + Strict().host() +
               "\r\nTransfer-Encoding: chunked\r\n\r\n200000\r\n" + std::string(0x200000, '1'));
  EXPECT_EQ(chunked.Read().status, 413);
  EXPECT_EQ(Strict().Ask("GET", "/healthz", "", {{"X-Long", std::string(20000, 'x')}}).status, 431);
  Client length(Strict().port());
  length.Send("POST /v1/fit HTTP/1.1\r\nHost: " + Strict().host() + "\r\nContent-Length: many\r\n\r\n");
  EXPECT_EQ(length.Read().status, 400);
  Client garbage(Strict().port());
  garbage.Send(std::string("\x16\x03\x01\x02\x00\x01\r\n\r\n", 10));
  EXPECT_EQ(garbage.Read().status, 400);
}

TEST(ServeProblems, RequestsThatEndTooEarlyGetAnAnswer) {
  const std::string whole = RequestText(Strict().host(), "POST", "/v1/fit", "{\"csv\": \"a,y\\n1,2\\n3,4\\n5,6\"}",
                                        {{"Content-Type", "application/json"}});
  for (std::size_t length = 1; length < whole.size(); length += 7) {
    Client client(Strict().port());
    client.Send(whole.substr(0, length));
    client.ShutDown();
    const Reply reply = client.Read(5000);
    EXPECT_EQ(reply.status, 400) << length;
  }
  EXPECT_EQ(Strict().Ask("GET", "/healthz").status, 200);
}

TEST(ServeProblems, TablesBeyondTheLimitAreRefusedWithTheNumber) {
  const RunningServer server({"--max-cells", "100", "--max-memory", "1", "--max-seconds", "0.5"});
  const json cells = ExpectProblem(server.PostCsv("/v1/fit", RandomCsv(60, 1)), 413);
  EXPECT_NE(cells["detail"].get<std::string>().find("120"), std::string::npos);
  const RunningServer small({"--max-memory", "1"});
  const json memory = ExpectProblem(small.PostCsv("/v1/fit?method=ml", RandomCsv(600, 1)), 413);
  EXPECT_NE(memory["detail"].get<std::string>().find("GiB"), std::string::npos);
  const RunningServer brief({"--max-seconds", "0.2"});
  const json seconds = ExpectProblem(brief.PostCsv("/v1/fit?method=multistart&restarts=1000", RandomCsv(800, 1)), 413);
  EXPECT_NE(seconds["detail"].get<std::string>().find(" s"), std::string::npos);
}

}  // namespace
}  // namespace instantgp::testing

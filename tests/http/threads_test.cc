// The server's threads, in one process with its clients: the one that reads and writes, those that work, and those that
// come and go. Here the thread sanitizer can see them (make tsan); the tests of tests/serve start the whole program.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "apps/serve/http/server.h"
#include "tests/support/live_socket.h"
#include "tests/support/server_process.h"

namespace instantgp::serve {
namespace {

using ::instantgp::testing::Client;
using ::instantgp::testing::LiveSocket;
using ::instantgp::testing::Reply;
using ::instantgp::testing::RequestText;

// Works for so many milliseconds, or until it is stopped.
bool WorkFor(int milliseconds, const std::stop_token& stop) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (std::chrono::steady_clock::now() < end) {
    if (stop.stop_requested()) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

// Answers with the body; as many lines before it as the query says, each after a millisecond.
class Echo final : public Handler {
 public:
  Route Find(std::string_view, std::string_view path) const override {
    if (path == "/now") return {RouteKind::kAtOnce, "/now", "GET", true};
    if (path == "/work") return {RouteKind::kWork, "/work", "POST", true};
    if (path == "/v1/live") return {RouteKind::kLive, "/v1/live", "GET", true};
    return {};
  }
  Response Answer(const Request& request) override {
    if (request.path == "/now") return {200, "text/plain", "now"};
    ++working_;
    const int lines = request.query.empty() ? 0 : std::stoi(request.query);
    bool whole = WorkFor(1, request.stop);
    for (int k = 0; k < lines && whole; ++k) {
      request.stream("line " + std::to_string(k));
      whole = WorkFor(1, request.stop);
    }
    --working_;
    stopped_ += whole ? 0 : 1;
    return {whole ? 200 : 503, "text/plain", request.body};
  }
  std::unique_ptr<LiveSession> OpenLive() override {
    class Session final : public LiveSession {
     public:
      std::string Answer(const std::string& message, const std::stop_token& stop) override {
        ++count_;  // its own: one message at a time
        WorkFor(2, stop);
        return message;
      }

     private:
      int count_ = 0;
    };
    return std::make_unique<Session>();
  }
  void Count(std::string_view, int, double) override { ++counted_; }

  int working() const { return working_; }
  int stopped() const { return stopped_; }
  int counted() const { return counted_; }

 private:
  std::atomic<int> working_{0}, stopped_{0}, counted_{0};
};

class HttpThreads : public ::testing::Test {
 protected:
  HttpThreads() {
    ServeOptions options;
    options.port = 0;
    options.threads = 3;
    options.limits.drain_seconds = 0.5;
    server_ = std::make_unique<Server>(options, echo_);
    port_ = server_->port();
    thread_ = std::jthread([this](const std::stop_token& stop) { server_->Run(stop); });
  }
  ~HttpThreads() override { End(); }

  void End() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
  }
  std::string Work(const std::string& body, int lines = 0) const {
    return RequestText("127.0.0.1:" + std::to_string(port_), "POST",
                       lines > 0 ? "/work?" + std::to_string(lines) : "/work", body);
  }

  Echo echo_;
  std::unique_ptr<Server> server_;
  int port_ = 0;
  std::jthread thread_;
};

bool Soon(const std::function<bool()>& question) {
  for (int k = 0; k < 2000; ++k) {
    if (question()) return true;
    ::usleep(5000);
  }
  return false;
}

TEST_F(HttpThreads, EveryClientGetsItsOwnAnswers) {
  std::vector<std::jthread> clients;
  std::atomic<int> right{0};
  for (int c = 0; c < 8; ++c) {
    clients.emplace_back([&, c] {
      Client client(port_);
      for (int k = 0; k < 20; ++k) {
        const std::string body = std::to_string(c) + " " + std::to_string(k);
        const int lines = k % 4 == 3 ? 3 : 0;
        client.Send(Work(body, lines));
        const Reply reply = client.Read();
        const std::string expected = lines > 0 ? "line 0\nline 1\nline 2\n" + body : body;
        right += reply.status == 200 && reply.body == expected ? 1 : 0;
      }
    });
  }
  clients.clear();
  EXPECT_EQ(right, 160);
  EXPECT_EQ(echo_.counted(), 160);
}

TEST_F(HttpThreads, ClientsThatLeaveStopTheirWorkAndNobodyElses) {
  std::vector<std::jthread> leaving;
  for (int c = 0; c < 6; ++c) {
    leaving.emplace_back([&, c] {
      for (int k = 0; k < 5; ++k) {
        Client client(port_);
        client.Send(Work("gone", 100000));
        ::usleep(static_cast<useconds_t>(1000 * (1 + (c + k) % 5)));
      }
    });
  }
  Client stays(port_);
  for (int k = 0; k < 5; ++k) {
    stays.Send(Work("here"));
    EXPECT_EQ(stays.Read().body, "here");
  }
  leaving.clear();
  EXPECT_TRUE(Soon([&] { return echo_.working() == 0 && server_->busy() == 0; }));
}

TEST_F(HttpThreads, LivePagesGetTheNewestMessageInOrder) {
  std::vector<std::jthread> pages;
  std::atomic<int> good{0};
  for (int c = 0; c < 4; ++c) {
    pages.emplace_back([&, c] {
      LiveSocket page(port_);
      for (int k = 1; k <= 30; ++k) page.Send(nlohmann::json(k));
      if (c == 3) return;  // leaves in the middle of the work
      int last = 0;
      while (last < 30) {
        const nlohmann::json answer = page.Receive();
        if (!answer.is_number() || answer.get<int>() <= last) return;
        last = answer.get<int>();
      }
      ++good;
    });
  }
  pages.clear();
  EXPECT_EQ(good, 3);
}

TEST_F(HttpThreads, TheEndComesWhileAllAreAtWork) {
  std::vector<std::unique_ptr<Client>> clients;
  for (int c = 0; c < 6; ++c) {
    clients.push_back(std::make_unique<Client>(port_));
    clients.back()->Send(Work("long", c < 3 ? 100000 : 0));
  }
  LiveSocket page(port_);
  for (int k = 0; k < 5; ++k) page.Send(nlohmann::json(k));
  EXPECT_TRUE(Soon([&] { return echo_.working() == 3; }));
  const auto start = std::chrono::steady_clock::now();
  End();  // stops what takes longer than it is given
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_EQ(echo_.working(), 0);
  EXPECT_GE(echo_.stopped(), 3);
  EXPECT_EQ(server_->busy(), 0);
}

}  // namespace
}  // namespace instantgp::serve

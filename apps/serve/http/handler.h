// What the server asks whoever answers its requests.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "apps/serve/http/message.h"

namespace instantgp::serve {

enum class RouteKind {
  kMissing,      // 404
  kWrongMethod,  // 405
  kAtOnce,       // answered where the request is read
  kWork,         // answered by a worker
  kLive,         // a WebSocket
};

struct Route {
  RouteKind kind = RouteKind::kMissing;
  std::string_view name = {};     // for counters: "/v1/models/ID"
  std::string_view methods = {};  // "GET, POST"
  bool open = false;              // needs no token
};

// A drawing that changes: one message at a time, the newest only.
class LiveSession {
 public:
  virtual ~LiveSession() = default;
  virtual std::string Answer(const std::string& message, const std::stop_token& stop) = 0;
};

// Every function may be called from any thread, and none throws.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual Route Find(std::string_view method, std::string_view path) const = 0;
  virtual Response Answer(const Request& request) = 0;
  virtual std::unique_ptr<LiveSession> OpenLive() = 0;
  virtual void Count(std::string_view route, int status, double seconds) = 0;
};

}  // namespace instantgp::serve

// The server: accepts connections, shares out work, and ends in good order.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "apps/serve/http/handler.h"
#include "apps/serve/options.h"

namespace instantgp::serve {

class Server {
 public:
  struct State;
  // Binds at once. Error(kFailure) saying address and reason when it cannot.
  Server(const ServeOptions& options, Handler& handler);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;
  std::string address() const;  // "http://127.0.0.1:8080"

  // Until a stop is requested; then no connection is accepted, requests that are being worked on are finished, those
  // that take longer than limits.drain_seconds are stopped.
  void Run(const std::stop_token& stop);

  int connections() const;
  int busy() const;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace instantgp::serve

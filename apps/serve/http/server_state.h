// What the connections of a server share. All of it belongs to the thread that runs `io`, but for the workers.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <list>
#include <memory>

#include "apps/serve/http/guard.h"
#include "apps/serve/http/handler.h"
#include "apps/serve/http/server.h"
#include "apps/serve/http/workers.h"

namespace instantgp::serve {

// Something that holds a socket: a connection of requests, or a live one.
class Peer {
 public:
  virtual ~Peer() = default;
  virtual bool silent() const = 0;  // waits for its client and has nothing under way
  virtual void Finish() = 0;        // close now when silent, else after the answer under way
  virtual void Abort() = 0;         // stop the work under way
};

struct Server::State {
  State(const ServeOptions& given, Handler& answers)
      : options(given), handler(answers), guard(given), acceptor(io), drain(io), retry(io) {}

  const ServeOptions options;
  Handler& handler;
  const Guard guard;
  boost::asio::io_context io{1};
  boost::asio::ip::tcp::acceptor acceptor;
  boost::asio::steady_timer drain, retry;
  std::list<Peer*> peers;  // the oldest first
  std::atomic<int> open{0};
  int live = 0;
  bool ending = false;
  std::unique_ptr<Workers> workers;
};

}  // namespace instantgp::serve

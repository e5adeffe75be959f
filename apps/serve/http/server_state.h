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
  virtual bool waiting() const = 0;  // for its client: for a request, or for the rest of one
  virtual void Drop() = 0;           // close now
  virtual void Finish() = 0;         // close now when no request has begun, else after its answer
  virtual void Abort() = 0;          // stop the work under way
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
  std::unique_ptr<Workers> live_workers;  // a hand that draws does not wait for fits
};

}  // namespace instantgp::serve

#include "apps/serve/http/server.h"

#include <sys/resource.h>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>
#include <vector>

#include "apps/serve/http/connection.h"
#include "apps/serve/http/server_state.h"
#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"
#include "instantgp/base/thread_pool.h"

namespace instantgp::serve {
namespace {

// A descriptor per connection: as many as the system lets this process have.
void RaiseDescriptorLimit(int wanted) {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t enough = static_cast<rlim_t>(wanted) + 128;
  if (limit.rlim_cur >= enough) return;
  limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? enough : std::min(enough, limit.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// Room for a new connection: the oldest that waits for its client goes.
void MakeRoom(Server::State& state) {
  if (state.open < state.options.limits.connections) return;
  for (Peer* peer : state.peers) {
    if (!peer->waiting()) continue;
    peer->Drop();
    return;
  }
}

void Accept(const std::shared_ptr<Server::State>& state) {
  state->acceptor.async_accept([state](boost::system::error_code error, boost::asio::ip::tcp::socket socket) {
    if (state->ending) return;
    if (error) {  // no descriptors are left: some will be free in a moment
      state->retry.expires_after(std::chrono::milliseconds(50));
      state->retry.async_wait([state](boost::system::error_code) {
        if (!state->ending) Accept(state);
      });
      return;
    }
    MakeRoom(*state);
    // A few more than the limit, until those that were dropped are gone; when nobody waits, it is closed unread.
    if (state->open < state->options.limits.connections + 64) StartConnection(state, std::move(socket));
    Accept(state);
  });
}

// All peers at this moment; the list changes while they are told.
std::vector<Peer*> Peers(const Server::State& state) { return {state.peers.begin(), state.peers.end()}; }

void End(const std::shared_ptr<Server::State>& state) {
  if (state->ending) return;
  state->ending = true;
  boost::system::error_code ignored;
  state->acceptor.close(ignored);
  state->retry.cancel();
  for (Peer* peer : Peers(*state)) peer->Finish();
  state->drain.expires_after(std::chrono::milliseconds(static_cast<long>(1000 * state->options.limits.drain_seconds)));
  state->drain.async_wait([state](boost::system::error_code error) {
    if (error) return;
    for (Peer* peer : Peers(*state)) peer->Abort();
    state->drain.expires_after(std::chrono::seconds(2));
    state->drain.async_wait([state](boost::system::error_code late) {
      if (!late) state->io.stop();
    });
  });
}

}  // namespace

Server::Server(const ServeOptions& options, Handler& handler) : state_(std::make_shared<State>(options, handler)) {
  RaiseDescriptorLimit(options.limits.connections);
  const std::string name = options.host == "localhost" ? "127.0.0.1" : options.host;
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(name, error);
  if (error) {
    throw Error(ErrorCode::kUsage, "'" + OneLine(options.host) + "' is no address; give one like 127.0.0.1 or ::1",
                {{"host"}});
  }
  const boost::asio::ip::tcp::endpoint endpoint(address, static_cast<unsigned short>(options.port));
  const auto check = [&](const char* what) {
    if (!error) return;
    throw Error(ErrorCode::kFailure, std::string("cannot ") + what + " " + options.host + ", port " +
                                         std::to_string(options.port) + ": " + error.message());
  };
  state_->acceptor.open(endpoint.protocol(), error);
  check("open");
  state_->acceptor.set_option(boost::asio::socket_base::reuse_address(true), error);
  check("open");
  state_->acceptor.bind(endpoint, error);
  check("bind");
  state_->acceptor.listen(1024, error);
  check("listen at");
  const int threads = ResolveThreads(options.threads);
  state_->workers = std::make_unique<Workers>(threads, options.limits.waiting);
  state_->live_workers = std::make_unique<Workers>((threads + 1) / 2, options.limits.live_connections);
}

// The threads end here and not where the last of those who share the state lets go of it, which may be one of them.
Server::~Server() {
  state_->live_workers.reset();
  state_->workers.reset();
}

int Server::port() const { return state_->acceptor.local_endpoint().port(); }

std::string Server::address() const {
  const auto endpoint = state_->acceptor.local_endpoint();
  const std::string host = endpoint.address().to_string();
  return "http://" + (endpoint.address().is_v6() ? "[" + host + "]" : host) + ":" + std::to_string(endpoint.port());
}

void Server::Run(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [state = state_] { boost::asio::post(state->io, [state] { End(state); }); });
  Accept(state_);
  // The timers of the end keep nothing waiting: once all connections are closed it is over.
  while (!state_->io.stopped()) {
    state_->io.run_one();
    if (state_->ending && state_->open == 0 && busy() == 0) break;
  }
  state_->drain.cancel();
  state_->retry.cancel();
  state_->io.poll();
}

int Server::connections() const { return state_->open; }
int Server::busy() const { return state_->workers->busy() + state_->live_workers->busy(); }

}  // namespace instantgp::serve

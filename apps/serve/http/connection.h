// One connection: reads requests, has them answered, writes the answers, one after the other.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <memory>

#include "apps/serve/http/server_state.h"

namespace instantgp::serve {

// Lives until its socket is closed.
void StartConnection(std::shared_ptr<Server::State> state, boost::asio::ip::tcp::socket socket);

}  // namespace instantgp::serve

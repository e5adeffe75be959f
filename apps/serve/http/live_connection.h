// A WebSocket for a drawing that changes: while a message is worked on, only the newest of those that follow is kept.
#pragma once

#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>

#include "apps/serve/http/server_state.h"

namespace instantgp::serve {

using UpgradeRequest = boost::beast::http::request<boost::beast::http::string_body>;

void StartLive(std::shared_ptr<Server::State> state, boost::beast::tcp_stream stream, UpgradeRequest request);

}  // namespace instantgp::serve

// Who may ask: checks of the header that come before anything is read or done.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/serve/http/message.h"
#include "apps/serve/options.h"

namespace instantgp::serve {

// Takes as long for a wrong first byte as for a wrong last one.
bool SameSecret(std::string_view given, std::string_view secret);

// "127.0.0.1", "::1", "localhost"
bool IsLoopback(std::string_view host);

struct Asker {
  std::string_view host, origin, authorization, subprotocols;
};

class Guard {
 public:
  explicit Guard(const ServeOptions& options);

  // Why a request is refused; nullopt: it is not. `open` paths need no token: the page, which holds no data, and the
  // health check.
  std::optional<Response> Refuse(const Asker& asker, bool open) const;
  // The value of Access-Control-Allow-Origin; empty: none.
  std::string AllowedOrigin(std::string_view origin) const;

 private:
  bool KnownHost(std::string_view host) const;
  bool Authorized(const Asker& asker) const;

  std::vector<std::string> hosts_, origins_;
  std::string token_;
  bool any_host_ = false;
};

// "name:port" or "[::1]:port" without the port, lower case.
std::string HostName(std::string_view host);

}  // namespace instantgp::serve

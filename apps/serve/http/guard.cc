#include "apps/serve/http/guard.h"

#include <algorithm>
#include <cctype>

#include "apps/serve/http/problem.h"
#include "instantgp/base/diagnosis.h"

namespace instantgp::serve {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

bool Contains(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

// "https://example.org:8443" as "example.org:8443"; empty for anything else.
std::string AuthorityOf(std::string_view origin) {
  const std::size_t scheme = origin.find("://");
  if (scheme == std::string_view::npos) return "";
  return Lower(origin.substr(scheme + 3));
}

}  // namespace

bool SameSecret(std::string_view given, std::string_view secret) {
  unsigned char different = given.size() == secret.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const char expected = secret.empty() ? '\0' : secret[i % secret.size()];
    different = static_cast<unsigned char>(different | (given[i] ^ expected));
  }
  return different == 0;
}

bool IsLoopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host == "[::1]" || host.starts_with("127.");
}

std::string HostName(std::string_view host) {
  if (host.starts_with('[')) return Lower(host.substr(0, host.find(']') + 1));
  return Lower(host.substr(0, host.rfind(':')));
}

Guard::Guard(const ServeOptions& options) : token_(options.token) {
  for (const std::string& name : options.allowed_hosts) hosts_.push_back(Lower(name));
  for (const std::string& origin : options.allowed_origins) origins_.push_back(Lower(origin));
  if (IsLoopback(options.host)) {
    for (const char* name : {"localhost", "127.0.0.1", "[::1]"}) hosts_.emplace_back(name);
    hosts_.push_back(Lower(options.host));
  } else {
    // Reached by whatever name the network gives it. A page that rebinds a name to this address lacks the token.
    any_host_ = hosts_.empty();
  }
}

bool Guard::KnownHost(std::string_view host) const {
  return any_host_ || Contains(hosts_, HostName(host)) || Contains(hosts_, Lower(host));
}

std::string Guard::AllowedOrigin(std::string_view origin) const {
  return !origin.empty() && Contains(origins_, Lower(origin)) ? std::string(origin) : "";
}

bool Guard::Authorized(const Asker& asker) const {
  if (token_.empty()) return true;
  constexpr std::string_view kBearer = "bearer ";
  if (asker.authorization.size() > kBearer.size() && Lower(asker.authorization.substr(0, kBearer.size())) == kBearer &&
      SameSecret(asker.authorization.substr(kBearer.size()), token_)) {
    return true;
  }
  // A WebSocket of a browser can send no such header; it offers the token as a subprotocol.
  constexpr std::string_view kProtocol = "bearer.";
  for (std::size_t begin = 0; begin < asker.subprotocols.size();) {
    const std::size_t end = std::min(asker.subprotocols.find(',', begin), asker.subprotocols.size());
    std::string_view one = asker.subprotocols.substr(begin, end - begin);
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    if (one.starts_with(kProtocol) && SameSecret(one.substr(kProtocol.size()), token_)) return true;
    begin = end + 1;
  }
  return false;
}

std::optional<Response> Guard::Refuse(const Asker& asker, bool open) const {
  if (!KnownHost(asker.host)) {
    return Problem(421, "this server is not called '" + OneLine(asker.host) +
                            "'; ask for it by its address, or start it with --allow-host");
  }
  if (!asker.origin.empty()) {
    const bool own = AuthorityOf(asker.origin) == Lower(asker.host) && !asker.host.empty();
    if (!own && AllowedOrigin(asker.origin).empty()) {
      return Problem(403, "pages of '" + OneLine(asker.origin) +
                              "' may not ask this server; start it with --allow-origin to let them");
    }
  }
  if (!open && !Authorized(asker)) {
    Response response = Problem(401, "this server wants its token: send the header 'Authorization: Bearer TOKEN'");
    response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"instantgp\"");
    return response;
  }
  return std::nullopt;
}

}  // namespace instantgp::serve

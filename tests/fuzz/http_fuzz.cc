// Requests of the service's interface, behind the connection: the first line is an address with its query, the second a
// content type, the rest the body. Whatever they say, the answer is no failure of ours (500) and a well-formed
// document.
#include <nlohmann/json.hpp>
#include <string>

#include "apps/serve/api/service.h"
#include "tests/fuzz/door.h"

namespace instantgp::fuzz {
namespace {

// Small enough for hundreds of requests a second.
serve::ServeOptions SmallService() {
  serve::ServeOptions options;
  options.threads = 1;
  options.limits.cells = 400;
  options.limits.seconds = 0.3;
  options.limits.memory = 64 << 20;
  options.limits.models = 8;
  options.limits.kernels = 4;
  options.limits.live_points = 50;
  options.limits.live_kernels = 3;
  return options;
}

std::string_view TakeLine(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

void HttpDoor(std::string_view bytes) {
  static serve::Service service(SmallService());
  serve::Request request;
  const std::string_view address = TakeLine(bytes);
  const std::size_t question = std::min(address.find('?'), address.size());
  request.path = address.substr(0, question);
  request.query = address.substr(std::min(question + 1, address.size()));
  request.content_type = TakeLine(bytes);
  request.body = bytes;
  request.stream = [](const std::string&) {};
  if (request.path == "/v1/live") {
    const std::string answer = service.OpenLive()->Answer(request.body, {});
    Require(!nlohmann::json::parse(answer, nullptr, false).is_discarded(), "a live answer that is no JSON");
    return;
  }
  request.method = request.path.starts_with("/v1/models/") ? "GET" : "POST";
  if (service.Find(request.method, request.path).kind != serve::RouteKind::kWork) return;
  const serve::Response response = service.Answer(request);
  Require(response.status >= 200 && response.status < 600, "a status that is none");
  Require(response.status != 500, "a failure of ours: " + response.body);
  if (response.content_type.find("json") != std::string::npos && !response.body.empty()) {
    Require(!nlohmann::json::parse(response.body, nullptr, false).is_discarded(), "an answer that is no JSON");
  }
}

}  // namespace

INSTANTGP_DOOR(http, HttpDoor)

}  // namespace instantgp::fuzz

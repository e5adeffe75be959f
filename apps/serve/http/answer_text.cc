#include "apps/serve/http/answer_text.h"

#include <algorithm>
#include <cstdio>

#include "apps/serve/http/problem.h"

namespace instantgp::serve {
namespace {

constexpr char kProtection[] =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n";

}  // namespace

std::string AnswerHead(const Response& response, const AnswerOptions& options) {
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + " ";
  head += ReasonPhrase(response.status);
  head += "\r\nServer: instantgp\r\n";
  if (!response.content_type.empty()) head += "Content-Type: " + response.content_type + "\r\n";
  if (options.length) {
    const bool none = response.status == 204 || response.status == 304;
    if (!none) head += "Content-Length: " + std::to_string(*options.length) + "\r\n";
  } else {
    head += "Transfer-Encoding: chunked\r\n";
  }
  const auto& headers = response.headers;
  const bool cached = std::any_of(headers.begin(), headers.end(), [](const auto& h) { return h.first == "ETag"; });
  if (!cached) head += "Cache-Control: no-store\r\n";
  for (const auto& [name, value] : headers) head.append(name).append(": ").append(value).append("\r\n");
  if (options.allowed_origin.empty()) {
    head += "Cross-Origin-Resource-Policy: same-origin\r\n";
  } else {
    head += "Access-Control-Allow-Origin: " + options.allowed_origin + "\r\nVary: Origin\r\n";
  }
  head += kProtection;
  head += options.keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return head;
}

std::string Chunk(std::string_view text) {
  char size[24];
  std::snprintf(size, sizeof size, "%zx\r\n", text.size());
  return size + std::string(text) + "\r\n";
}

}  // namespace instantgp::serve

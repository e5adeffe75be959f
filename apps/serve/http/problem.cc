#include "apps/serve/http/problem.h"

#include <algorithm>
#include <cctype>
#include <new>
#include <optional>

namespace instantgp::serve {
namespace {

int StatusOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
      return 400;
    case ErrorCode::kBadInput:
    case ErrorCode::kNumerical:
      return 422;
    case ErrorCode::kLimit:
      return 413;
    case ErrorCode::kInterrupted:
      return 503;
    case ErrorCode::kFailure:
      break;
  }
  return 500;
}

std::string_view CodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
      return "usage";
    case ErrorCode::kBadInput:
      return "bad-input";
    case ErrorCode::kNumerical:
      return "numerical";
    case ErrorCode::kLimit:
      return "limit";
    case ErrorCode::kInterrupted:
      return "interrupted";
    case ErrorCode::kFailure:
      break;
  }
  return "failure";
}

Json Document(int status, const std::string& detail) {
  return {{"type", "about:blank"}, {"title", ReasonPhrase(status)}, {"status", status}, {"detail", detail}};
}

// The library writes the place of an error into its message: "table, line 3, column 'city': ...", or a kernel with a
// caret below it. Programs get it as numbers.
void AddPlace(const std::string& message, Json& document) {
  const std::string first = message.substr(0, message.find('\n'));
  if (const std::size_t at = first.find("line "); at != std::string::npos) {
    const std::size_t digits = at + 5;
    std::size_t end = digits;
    while (end < first.size() && end - digits < 9 && std::isdigit(static_cast<unsigned char>(first[end])) != 0) ++end;
    if (end > digits) document["line"] = std::stol(first.substr(digits, end - digits));
  }
  if (const std::size_t at = first.find("column '"); at != std::string::npos) {
    const std::size_t begin = at + 8, end = first.find('\'', begin);
    if (end != std::string::npos) document["column"] = first.substr(begin, end - begin);
  }
  // "kernel expression: what\n  TEXT\n    ^\nhint"
  if (!message.starts_with("kernel expression: ")) return;
  const std::size_t text = message.find('\n');
  const std::size_t caret = text == std::string::npos ? text : message.find('\n', text + 1);
  const std::size_t mark = caret == std::string::npos ? caret : message.find_first_not_of(' ', caret + 1);
  if (mark == std::string::npos || message[mark] != '^') return;
  const bool cut = message.compare(text + 1, 5, "  ...") == 0;  // a window of a long text
  if (!cut) document["position"] = mark - (caret + 1) - 2;
}

Response AsResponse(int status, const Json& document, int retry_after) {
  Response response{status, "application/problem+json",
                    document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"};
  if (retry_after > 0) response.headers.emplace_back("Retry-After", std::to_string(retry_after));
  return response;
}

}  // namespace

std::string_view ReasonPhrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 411:
      return "Length Required";
    case 413:
      return "Payload Too Large";
    case 415:
      return "Unsupported Media Type";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Entity";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Internal Server Error";
  }
}

Response Problem(int status, const std::string& detail, int retry_after) {
  return AsResponse(status, Document(status, detail), retry_after);
}

Json ProblemJson(const std::exception& error) {
  if (const auto* known = dynamic_cast<const Error*>(&error)) {
    Json document = Document(StatusOf(known->code()), known->what());
    document["type"] = "urn:instantgp:" + std::string(CodeName(known->code()));
    if (!known->remedies().empty()) {
      document["remedy"] = Json::array();
      for (const Remedy& remedy : known->remedies()) {
        document["remedy"].push_back({{"option", remedy.option}, {"value", remedy.value}});
      }
    }
    AddPlace(known->what(), document);
    return document;
  }
  if (const auto* known = dynamic_cast<const HttpError*>(&error)) return Document(known->status(), known->what());
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return Document(413, "out of memory; use fewer rows, or method svgp or neighbours");
  }
  return Document(500, "internal failure; please report it");
}

Response ProblemOf(const std::exception& error) {
  const Json document = ProblemJson(error);
  const int status = document["status"];
  const auto* known = dynamic_cast<const HttpError*>(&error);
  return AsResponse(status, document, known != nullptr ? known->retry_after() : status == 503 ? 1 : 0);
}

}  // namespace instantgp::serve

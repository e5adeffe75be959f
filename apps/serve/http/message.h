// A request and its answer, as those who work on them see them.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace instantgp::serve {

struct Request {
  std::string method, path, query;  // the path is decoded, the query is not
  std::string content_type, accept, if_none_match;
  bool accepts_gzip = false;
  std::string body;
  std::stop_token stop;  // the client went away, or the time is up
  // Sends a line at once; from then on the answer is a stream, and what is returned is its last line. From any thread.
  std::function<void(std::string line)> stream;
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
};

}  // namespace instantgp::serve

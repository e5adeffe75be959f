// Errors as RFC 7807 documents: application/problem+json.
#pragma once

#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/serve/http/message.h"
#include "instantgp/base/error.h"

namespace instantgp::serve {

using Json = nlohmann::ordered_json;

// An error of the protocol rather than of the data; becomes a Problem.
class HttpError : public std::runtime_error {
 public:
  HttpError(int status, const std::string& detail, int retry_after = 0)
      : std::runtime_error(detail), status_(status), retry_after_(retry_after) {}
  int status() const { return status_; }
  int retry_after() const { return retry_after_; }  // seconds; 0: none

 private:
  int status_, retry_after_;
};

// "Not Found"
std::string_view ReasonPhrase(int status);

Response Problem(int status, const std::string& detail, int retry_after = 0);

// Of the library's errors: bad input is 422, what exceeds a limit 413, an interruption 503. The message, the remedy as
// data, and the line, column or position in a kernel that the message names. What is not an error of ours is a 500 that
// gives nothing away.
Response ProblemOf(const std::exception& error);
Json ProblemJson(const std::exception& error);

}  // namespace instantgp::serve

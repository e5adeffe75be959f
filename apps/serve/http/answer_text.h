// Answers as bytes: the status line and the headers that every answer has.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "apps/serve/http/message.h"

namespace instantgp::serve {

struct AnswerOptions {
  bool keep_alive = false;
  std::optional<std::size_t> length;  // none: chunks follow
  std::string allowed_origin;         // of another site that may read the answer
};

// With what protects a page and its data in a browser: a content security policy that allows nothing from elsewhere,
// no guessing of types, no framing, no caching of answers.
std::string AnswerHead(const Response& response, const AnswerOptions& options);

// A piece of a body of unknown length; `text` is not empty.
std::string Chunk(std::string_view text);

}  // namespace instantgp::serve

// The files of the page, which are part of the program.
#pragma once

#include <string>
#include <string_view>

#include "apps/serve/http/message.h"

namespace instantgp::serve {

struct Asset {
  std::string_view path;  // "/", "/app.js"
  std::string_view type;  // "text/html; charset=utf-8"
  std::string_view bytes;
};

// Null: there is none.
const Asset* FindAsset(std::string_view path);

// Compressed where the client takes it; 304 where it has it already.
Response AssetResponse(const Asset& asset, const Request& request);

}  // namespace instantgp::serve

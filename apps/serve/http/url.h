// Paths and queries of requests.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace instantgp::serve {

// %41 becomes A, and with `plus` + a blank; nullopt for a broken escape or a NUL.
std::optional<std::string> Unescape(std::string_view text, bool plus);

// "kernel=SE&n=3"; HttpError(400) for broken escapes.
std::vector<std::pair<std::string, std::string>> ParseQuery(std::string_view query);

}  // namespace instantgp::serve

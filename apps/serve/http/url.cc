#include "apps/serve/http/url.h"

#include "apps/serve/http/problem.h"

namespace instantgp::serve {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

std::optional<std::string> Unescape(std::string_view text, bool plus) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const int high = i + 1 < text.size() ? HexDigit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(16 * high + low);
      i += 2;
      if (c == '\0') return std::nullopt;
    } else if (plus && c == '+') {
      c = ' ';
    }
    out.push_back(c);
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> ParseQuery(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> fields;
  for (std::size_t begin = 0; begin < query.size();) {
    const std::size_t end = std::min(query.find('&', begin), query.size());
    const std::string_view field = query.substr(begin, end - begin);
    begin = end + 1;
    if (field.empty()) continue;
    const std::size_t equals = std::min(field.find('='), field.size());
    const auto name = Unescape(field.substr(0, equals), true);
    const auto value = Unescape(equals < field.size() ? field.substr(equals + 1) : "", true);
    if (!name || !value) throw HttpError(400, "the query holds a broken escape; write % as %25");
    fields.emplace_back(*name, *value);
  }
  return fields;
}

}  // namespace instantgp::serve

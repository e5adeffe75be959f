#include "instantgp/data/text_check.h"

#include <algorithm>
#include <cstdint>

#include "instantgp/data/byte_scan.h"

namespace instantgp {

namespace {

constexpr std::size_t kByByte = 32;  // bytes, where a vector holds other than plain ones

// The length of the UTF-8 sequence at `at`, or 0: stray and missing continuation bytes, overlong forms, surrogates and
// values past U+10FFFF are refused, as the standard has it.
std::size_t SequenceLength(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t k) -> std::uint32_t {
    return at + k < text.size() ? static_cast<unsigned char>(text[at + k]) : 0;
  };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  std::uint32_t code = lead & (0xffu >> (length + 1));
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(k) & 0x3f);
  }
  const std::uint32_t smallest = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < smallest || code > 0x10ffff || surrogate ? 0 : length;
}

}  // namespace

TextProblem CheckText(std::string_view text) {
  std::size_t at = 0;
  const auto problem = [&](const char* what) {
    return TextProblem{1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n')),
                       what};
  };
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) return problem("this is UTF-16, not UTF-8");
  while (at < text.size()) {
    at += byte_scan::PlainPrefix(text.substr(at));  // most of a table
    for (const std::size_t stop = std::min(text.size(), at + kByByte); at < stop;) {
      const auto c = static_cast<unsigned char>(text[at]);
      if (c == 0) return problem("there is a zero byte, so this is not text");
      if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f) {
        return problem("there is a control character, so this is not text");
      }
      const std::size_t length = SequenceLength(text, at);
      if (length == 0) return problem("there is a byte that is not UTF-8");
      at += length;
    }
  }
  return {};
}

std::string_view WithoutByteOrderMark(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text;
}

}  // namespace instantgp

// Bytes of a text looked at a vector at a time. Include from .cc files only.
#pragma once

// x86-64-v3 has everything AVX2 code needs but not the AES instructions Highway asks for by default.
#if defined(__AVX2__) && !defined(__AES__) && !defined(HWY_DISABLE_PCLMUL_AES)
#define HWY_DISABLE_PCLMUL_AES
#endif
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace instantgp::byte_scan {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<std::uint8_t>;

inline const std::uint8_t* Bytes(const char* at) { return reinterpret_cast<const std::uint8_t*>(at); }

// How often `byte` stands in the text.
inline std::size_t Count(std::string_view text, char byte) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  const auto wanted = hn::Set(d, static_cast<std::uint8_t>(byte));
  std::size_t count = 0, at = 0;
  for (; at + lanes <= text.size(); at += lanes) {
    count += hn::CountTrue(d, hn::Eq(hn::LoadU(d, Bytes(text.data() + at)), wanted));
  }
  for (; at < text.size(); ++at) count += text[at] == byte ? 1 : 0;
  return count;
}

// The first separator, line feed or return; `end` where there is none.
inline const char* EndOfCell(const char* at, const char* end, char separator) {
  const Tag d;
  const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(d));
  const auto split = hn::Set(d, static_cast<std::uint8_t>(separator));
  const auto feed = hn::Set(d, std::uint8_t{'\n'}), back = hn::Set(d, std::uint8_t{'\r'});
  for (; end - at >= lanes; at += lanes) {
    const auto bytes = hn::LoadU(d, Bytes(at));
    const auto found = hn::Or(hn::Eq(bytes, split), hn::Or(hn::Eq(bytes, feed), hn::Eq(bytes, back)));
    if (const auto first = hn::FindFirstTrue(d, found); first >= 0) return at + first;
  }
  while (at != end && *at != separator && *at != '\n' && *at != '\r') ++at;
  return at;
}

// How many bytes from the beginning on are printable ASCII, tabs or line ends, in whole vectors.
inline std::size_t PlainPrefix(std::string_view text) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  const auto blank = hn::Set(d, std::uint8_t{0x20}), last = hn::Set(d, std::uint8_t{0x7e});
  const auto tab = hn::Set(d, std::uint8_t{'\t'});
  const auto feed = hn::Set(d, std::uint8_t{'\n'}), back = hn::Set(d, std::uint8_t{'\r'});
  std::size_t at = 0;
  for (; at + lanes <= text.size(); at += lanes) {
    const auto bytes = hn::LoadU(d, Bytes(text.data() + at));
    const auto printable = hn::And(hn::Eq(hn::Max(bytes, blank), bytes), hn::Eq(hn::Min(bytes, last), bytes));
    const auto white = hn::Or(hn::Eq(bytes, tab), hn::Or(hn::Eq(bytes, feed), hn::Eq(bytes, back)));
    if (!hn::AllTrue(d, hn::Or(printable, white))) break;
  }
  return at;
}

}  // namespace instantgp::byte_scan

// A decimal at the beginning of a text, read eight digits at a time.
#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <system_error>

#include "instantgp/base/from_chars.h"

namespace instantgp {

namespace decimal_parts {

// Powers of ten that a double holds exactly, and those that 64 bits hold.
inline constexpr std::array<double, 23> kPowersOfTen = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                        1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                        1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline constexpr std::array<std::uint64_t, 9> kShift = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
inline constexpr std::uint64_t kExactInteger = std::uint64_t{1} << 53;

inline bool IsDigit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// Appends the digits at `at` to the mantissa, which overflows silently beyond 19; returns where they end.
inline const char* ReadDigits(const char* at, const char* end, std::uint64_t* mantissa) {
  static_assert(std::endian::native == std::endian::little, "the first digit is the lowest byte");
  while (end - at >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    word ^= 0x3030303030303030u;  // digits are 0 to 9 now, and nothing else is
    const std::uint64_t others = (((word & 0x7f7f7f7f7f7f7f7fu) + 0x7676767676767676u) | word) & 0x8080808080808080u;
    const int digits = others == 0 ? 8 : std::countr_zero(others) / 8;
    if (digits == 0) return at;
    word <<= 64 - 8 * digits;  // leading zeros instead of what follows
    // Neighbours to pairs, pairs to fours, fours to all eight.
    word = word * 10 + (word >> 8);
    word = ((word & 0x000000ff000000ffu) * 0x000f424000000064u +
            ((word >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u) >>
           32;
    *mantissa = *mantissa * kShift[static_cast<std::size_t>(digits)] + word;
    at += digits;
    if (digits < 8) return at;
  }
  while (at != end && IsDigit(*at)) *mantissa = 10 * *mantissa + static_cast<std::uint64_t>(*at++ - '0');
  return at;
}

}  // namespace decimal_parts

// The number that begins at `at`: a sign or none, digits with a point or none, an exponent or none. With
// `decimal_comma` a comma may be the point. Returns where it ends; null where there is none, or none that fits into a
// double. The value is the nearest double, as from_chars has it: where mantissa and power of ten are both exact in a
// double, their quotient or product is rounded once; else from_chars is asked.
inline const char* ReadDecimal(const char* at, const char* end, bool decimal_comma, double* value) {
  using namespace decimal_parts;
  if (at == end) return nullptr;
  // Without a branch: nobody can foresee the signs of a column.
  const bool negative = *at == '-';
  at += static_cast<int>(negative) | static_cast<int>(*at == '+');
  const char* const first = at;
  std::uint64_t mantissa = 0;
  const char* p = ReadDigits(at, end, &mantissa);
  std::ptrdiff_t digits = p - first;
  int exponent = 0;
  bool comma = false;
  if (p != end && (*p == '.' || (decimal_comma && *p == ','))) {
    comma = *p == ',';
    const char* const point = ++p;
    p = ReadDigits(p, end, &mantissa);
    digits += p - point;
    exponent = -static_cast<int>(p - point);
  }
  if (digits == 0) return nullptr;
  bool exact = digits <= 19;  // else the mantissa has overflowed
  if (p != end && (*p == 'e' || *p == 'E')) {
    const char* from = p + 1;
    if (from != end && *from == '+' && from + 1 != end && decimal_parts::IsDigit(from[1])) ++from;
    int written = 0;
    const auto [stopped, status] = std::from_chars(from, end, written);
    if (stopped == from) return nullptr;
    exact = exact && status == std::errc() && written > -10000 && written < 10000;
    exponent += exact ? written : 0;
    p = stopped;
  }
  if (exact && mantissa <= kExactInteger && exponent >= -22 && exponent <= 22) {
    const auto m = static_cast<double>(mantissa);
    const double magnitude = exponent < 0 ? m / kPowersOfTen[static_cast<std::size_t>(-exponent)]
                                          : m * kPowersOfTen[static_cast<std::size_t>(exponent)];
    *value = negative ? -magnitude : magnitude;
    return p;
  }
  double magnitude = 0;
  std::from_chars_result read{};
  if (comma) {
    std::array<char, 64> copy{};
    const auto size = static_cast<std::size_t>(p - first);
    if (size > copy.size()) return nullptr;
    for (std::size_t k = 0; k < size; ++k) copy[k] = first[k] == ',' ? '.' : first[k];
    read = FromChars(copy.data(), copy.data() + size, magnitude);
    read.ptr = first + (read.ptr - copy.data());
  } else {
    read = FromChars(first, p, magnitude);
  }
  *value = negative ? -magnitude : magnitude;
  return read.ptr == p && read.ec == std::errc() ? p : nullptr;
}

}  // namespace instantgp

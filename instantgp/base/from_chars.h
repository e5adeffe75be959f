// std::from_chars, also for doubles where the standard library does not have that yet (libc++ before version 20).
#pragma once

#include <charconv>
#include <type_traits>

namespace instantgp {

// What std::from_chars says of a double, by strtod in the C locale. Slower: the text is copied.
std::from_chars_result FromCharsByStrtod(const char* first, const char* last, double& value);

template <typename Number>
std::from_chars_result FromChars(const char* first, const char* last, Number& value) {
#ifdef __cpp_lib_to_chars
  return std::from_chars(first, last, value);
#else
  if constexpr (std::is_same_v<Number, double>) {
    return FromCharsByStrtod(first, last, value);
  } else {
    return std::from_chars(first, last, value);
  }
#endif
}

}  // namespace instantgp

// Whether bytes are text: UTF-8 without control characters.
#pragma once

#include <string>
#include <string_view>

namespace instantgp {

struct TextProblem {
  int line = 0;  // 1-based; 0: there is no problem
  std::string what;
};

// The first NUL or control character (other than tab and line ends), or byte that is not UTF-8.
TextProblem CheckText(std::string_view text);

// The text after a UTF-8 byte-order mark, if it has one.
std::string_view WithoutByteOrderMark(std::string_view text);

}  // namespace instantgp

#include "instantgp/base/from_chars.h"

#include <locale.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

namespace instantgp {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

const char* SkipDigits(const char* p, const char* last) {
  while (p != last && IsDigit(*p)) ++p;
  return p;
}

// Where the longest number from `first` on ends; first itself: there is none.
//   -? ( digits . digits ( e sign? digits )? | inf | infinity | nan ),  letters of any case, one digit at least
const char* EndOfNumber(const char* first, const char* last) {
  const char* const start = first != last && *first == '-' ? first + 1 : first;
  for (const std::string_view word : {"infinity", "inf", "nan"}) {
    if (static_cast<std::size_t>(last - start) < word.size()) continue;
    bool same = true;
    for (std::size_t k = 0; k < word.size(); ++k) same = same && (start[k] | 0x20) == word[k];
    if (same) return start + word.size();
  }
  const char* p = SkipDigits(start, last);
  bool digits = p != start;
  if (p != last && *p == '.') {
    const char* const behind = SkipDigits(p + 1, last);
    digits = digits || behind != p + 1;
    p = behind;
  }
  if (!digits) return first;
  if (p == last || (*p | 0x20) != 'e') return p;
  const char* power = p + 1;
  if (power != last && (*power == '+' || *power == '-')) ++power;
  const char* const end = SkipDigits(power, last);
  return end == power ? p : end;
}

}  // namespace

std::from_chars_result FromCharsByStrtod(const char* first, const char* last, double& value) {
  const char* const end = EndOfNumber(first, last);
  if (end == first) return {first, std::errc::invalid_argument};
  static const locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
  const std::string text(first, end);
  const int before = errno;
  errno = 0;
  const double read = strtod_l(text.c_str(), nullptr, c_locale);
  const bool out_of_range =
      errno == ERANGE && (read == 0 || std::isinf(read));  // smaller than normal is still a number
  errno = before;
  if (out_of_range) return {end, std::errc::result_out_of_range};
  value = read;
  return {end, std::errc()};
}

}  // namespace instantgp

#include "instantgp/data/csv_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

#include "instantgp/base/from_chars.h"

namespace instantgp {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsMissingMark(std::string_view text) {
  for (const std::string_view mark : {"", "NA", "NaN", "nan", "null", "?"}) {
    if (text == mark) return true;
  }
  return false;
}

// Whether the magnitude of a well-formed decimal that does not fit a double is too large, not too small: the power of
// ten of its first digit other than zero, which is its place before or after the point plus the exponent.
bool IsTooLarge(std::string_view text) {
  const std::size_t exponent_at = std::min(text.find_first_of("eE"), text.size());
  const std::string_view mantissa = text.substr(0, exponent_at);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return false;
  double power = static_cast<double>(point) - static_cast<double>(first);
  if (exponent_at < text.size()) {
    std::string_view digits = text.substr(exponent_at + 1);
    const bool negative = digits.front() == '-';
    if (negative || digits.front() == '+') digits.remove_prefix(1);
    double exponent = 0;  // a double: it may have any number of digits
    for (const char digit : digits) exponent = 10 * exponent + (digit - '0');
    power += negative ? -exponent : exponent;
  }
  return power > 0;
}

}  // namespace

CellValue ReadCell(std::string_view text, bool decimal_comma) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  if (IsMissingMark(text)) return {CellKind::kMissing, 0};
  std::string with_point;
  if (decimal_comma && std::count(text.begin(), text.end(), ',') == 1 && text.find('.') == std::string_view::npos) {
    with_point = text;
    std::replace(with_point.begin(), with_point.end(), ',', '.');
    text = with_point;
  }
  const bool negative = text.front() == '-';
  std::string_view magnitude = text;
  if (negative || text.front() == '+') magnitude.remove_prefix(1);
  if (magnitude == "inf" || magnitude == "Inf" || magnitude == "INF" || magnitude == "infinity" ||
      magnitude == "Infinity") {
    return {CellKind::kInfinite, 0};
  }
  // Keeps out what from_chars would take besides: a second sign, nan, inf.
  const bool digit_first = !magnitude.empty() && IsDigit(magnitude.front());
  const bool point_first = magnitude.size() > 1 && magnitude.front() == '.' && IsDigit(magnitude[1]);
  if (!digit_first && !point_first) return {CellKind::kText, 0};

  double value = 0;
  const char* const end = magnitude.data() + magnitude.size();
  const auto [stopped, status] = FromChars(magnitude.data(), end, value);
  if (stopped != end) return {CellKind::kText, 0};
  if (status == std::errc::result_out_of_range) {
    if (IsTooLarge(magnitude)) return {CellKind::kInfinite, 0};
    value = 0;
  } else if (status != std::errc()) {
    return {CellKind::kText, 0};
  }
  return {CellKind::kNumber, negative ? -value : value};
}

}  // namespace instantgp

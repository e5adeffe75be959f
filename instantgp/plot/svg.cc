#include "instantgp/plot/svg.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace instantgp::plot {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Bytes of the valid UTF-8 sequence at `i`, or 0. Surrogates, overlong forms and noncharacters U+FFFE/F are not valid
// XML.
int SequenceLength(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned lead = byte(i);
  const int length = lead < 0x80                   ? 1
                     : lead >= 0xC2 && lead < 0xE0 ? 2
                     : lead >= 0xE0 && lead < 0xF0 ? 3
                     : lead >= 0xF0 && lead < 0xF5 ? 4
                                                   : 0;
  if (length == 0 || i + length > text.size()) return 0;
  if (length == 1) return lead >= 0x20 || lead == '\t' || lead == '\n' || lead == '\r' ? 1 : 0;
  std::uint32_t code = lead & (0xFF >> (length + 1));
  for (int k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xC0) != 0x80) return 0;
    code = (code << 6) | (byte(i + k) & 0x3F);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool forbidden = (code >= 0xD800 && code < 0xE000) || code == 0xFFFE || code == 0xFFFF || code > 0x10FFFF;
  return overlong || forbidden ? 0 : length;
}

void TrimZeros(std::string& text) {
  if (text.find('.') == std::string::npos || text.find('e') != std::string::npos) return;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
}

void DropNegativeZero(std::string& text) {
  if (text.front() == '-' && text.find_first_of("123456789") == std::string::npos) text.erase(0, 1);
}

std::string Formatted(double value, std::chars_format format, int precision) {
  std::array<char, 400> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, precision);
  std::string text(buffer.data(), end.ptr);
  DropNegativeZero(text);
  return text;
}

}  // namespace

std::string EscapeXml(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const int length = SequenceLength(text, i);
    if (length == 0) {
      out += kReplacement;
      ++i;
      continue;
    }
    switch (text[i]) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += text.substr(i, length);
    }
    i += length;
  }
  return out;
}

std::string FixedNumber(double value, int decimals) { return Formatted(value, std::chars_format::fixed, decimals); }

std::string ShortNumber(double value, int digits) { return Formatted(value, std::chars_format::general, digits); }

std::string Coordinate(double value) {
  std::string text = FixedNumber(value, 2);
  TrimZeros(text);
  return text;
}

std::string WithMinusSign(std::string text) {
  if (!text.empty() && text.front() == '-') text.replace(0, 1, "\xE2\x88\x92");
  return text;
}

double TextWidth(std::string_view text, double font_size) {
  double em = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) == 0x80) continue;  // continuation byte
    if (byte >= 0x80) {
      em += 0.6;
    } else if (std::string_view("ijl.,;:'|!I ()[]ft/").find(c) != std::string_view::npos) {
      em += 0.29;
    } else if (std::string_view("mwMW%@").find(c) != std::string_view::npos) {
      em += 0.86;
    } else if (c >= 'A' && c <= 'Z') {
      em += 0.69;
    } else {
      em += 0.555;
    }
  }
  return em * font_size;
}

void PathData::Point(char command, double x, double y) {
  const std::string x_text = Coordinate(x);
  const std::string y_text = Coordinate(y);
  std::string point = x_text + (y_text.front() == '-' ? "" : " ") + y_text;
  if (command == 'L' && point == last_) return;
  data_ += command;
  data_ += point;
  last_ = std::move(point);
}

void PathData::MoveTo(double x, double y) { Point('M', x, y); }
void PathData::LineTo(double x, double y) { Point('L', x, y); }

}  // namespace instantgp::plot

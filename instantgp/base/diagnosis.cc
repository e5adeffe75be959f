#include "instantgp/base/diagnosis.h"

#include <algorithm>
#include <cstdint>

namespace instantgp {
namespace {

struct Glyph {
  std::string text;       // valid UTF-8
  std::size_t begin = 0;  // byte in the source
  int cells = 1;          // on a terminal
};

// Number of bytes of the UTF-8 sequence at `text`, its code point in `code`; 0 when broken.
std::size_t Decode(std::string_view text, std::uint32_t& code) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = byte(0);
  const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (length == 1) {
    code = lead;
    return 1;
  }
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  code = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = (code << 6) | (byte(i) & 0x3F);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return overlong || surrogate || code > 0x10FFFF ? 0 : length;
}

struct Range {
  std::uint32_t first, last;
};
constexpr Range kNoCell[] = {{0x300, 0x36F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}};
constexpr Range kTwoCells[] = {{0x1100, 0x115F}, {0x2E80, 0xA4CF},   {0xAC00, 0xD7A3},
                               {0xF900, 0xFAFF}, {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
                               {0xFFE0, 0xFFE6}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};

template <std::size_t N>
bool IsIn(const Range (&ranges)[N], std::uint32_t code) {
  return std::any_of(ranges, ranges + N, [&](Range range) { return code >= range.first && code <= range.last; });
}

std::vector<Glyph> Glyphs(std::string_view text) {
  std::vector<Glyph> glyphs;
  for (std::size_t i = 0; i < text.size();) {
    std::uint32_t code = 0;
    const std::size_t length = Decode(text.substr(i), code);
    if (length == 0) {
      glyphs.push_back({"?", i, 1});
    } else if (code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029) {
      glyphs.push_back({" ", i, 1});
    } else {
      glyphs.push_back({std::string(text.substr(i, length)), i,
                        IsIn(kNoCell, code)     ? 0
                        : IsIn(kTwoCells, code) ? 2
                                                : 1});
    }
    i += std::max<std::size_t>(length, 1);
  }
  return glyphs;
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string OneLine(std::string_view text) {
  std::string line;
  for (const Glyph& glyph : Glyphs(text)) line += glyph.text;
  return line;
}

std::string TextWithCaret(std::string_view text, std::size_t position) {
  constexpr std::size_t kWindow = 100;  // glyphs shown
  const std::vector<Glyph> glyphs = Glyphs(text);
  const auto is_before = [&](const Glyph& glyph) { return glyph.begin < position; };
  const auto at =
      static_cast<std::size_t>(std::partition_point(glyphs.begin(), glyphs.end(), is_before) - glyphs.begin());
  const std::size_t begin =
      glyphs.size() <= kWindow || at < kWindow / 2 ? 0 : std::min(at - kWindow / 2, glyphs.size() - kWindow);
  const std::size_t end = std::min(glyphs.size(), begin + kWindow);

  std::string line = begin > 0 ? "  ..." : "  ";
  std::string caret(line.size(), ' ');
  for (std::size_t i = begin; i < end; ++i) {
    line += glyphs[i].text;
    if (i < at) caret.append(static_cast<std::size_t>(glyphs[i].cells), ' ');
  }
  if (end < glyphs.size()) line += "...";
  return line + '\n' + caret + "^\n";
}

int EditDistance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int substituted = diagonal + (Lower(a[i - 1]) == Lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::string Nearest(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongest = 100;  // beyond it a suggestion is not worth the quadratic time
  if (word.empty() || word.size() > kLongest) return "";
  const std::string* best = nullptr;
  int best_distance = std::max(1, static_cast<int>(word.size()) / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.empty() || candidate.size() > kLongest) continue;
    const int distance = EditDistance(word, candidate);
    if (distance < best_distance && distance < static_cast<int>(std::max(word.size(), candidate.size()))) {
      best_distance = distance;
      best = &candidate;
    }
  }
  return best == nullptr ? "" : *best;
}

}  // namespace instantgp

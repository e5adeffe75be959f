#include "instantgp/data/plain_rows.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <system_error>

#include "instantgp/base/thread_pool.h"

namespace instantgp {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;  // bytes; smaller texts are read on one thread

// Powers of ten that a double holds exactly.
constexpr std::array<double, 23> kPowersOfTen = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::uint64_t kExactInteger = std::uint64_t{1} << 53;

bool IsPlainDigit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// A plain decimal at `at`; moves it past the number. Where mantissa and power of ten are both exact in a double, one
// rounding gives the nearest double, as from_chars would; else from_chars is asked.
bool ReadDecimal(const char*& at, const char* end, double* value) {
  const char* p = at;
  const bool negative = p != end && *p == '-';
  if (p != end && (*p == '-' || *p == '+')) ++p;
  const char* const first = p;
  std::uint64_t mantissa = 0;
  while (p != end && IsPlainDigit(*p)) mantissa = 10 * mantissa + static_cast<std::uint64_t>(*p++ - '0');
  std::ptrdiff_t digits = p - first;
  int exponent = 0;
  if (p != end && *p == '.') {
    const char* const point = p++;
    while (p != end && IsPlainDigit(*p)) mantissa = 10 * mantissa + static_cast<std::uint64_t>(*p++ - '0');
    exponent = -static_cast<int>(p - point - 1);
    digits += -exponent;
  }
  if (digits == 0) return false;
  bool exact = digits <= 19;  // no overflow of the mantissa
  if (p != end && (*p == 'e' || *p == 'E')) {
    int written = 0;
    const char* from = p + 1;
    if (from != end && *from == '+') ++from;
    if (from == end || (!IsPlainDigit(*from) && *from != '-') || (from[-1] == '+' && *from == '-')) return false;
    const auto [stopped, status] = std::from_chars(from, end, written);
    if (stopped == from) return false;
    exact = exact && status == std::errc();
    exponent = exact ? exponent + std::clamp(written, -10000, 10000) : 0;
    p = stopped;
  }
  at = p;
  if (exact && mantissa <= kExactInteger && exponent >= -22 && exponent <= 22) {
    const double m = static_cast<double>(mantissa);
    const double magnitude = exponent < 0 ? m / kPowersOfTen[static_cast<std::size_t>(-exponent)]
                                          : m * kPowersOfTen[static_cast<std::size_t>(exponent)];
    *value = negative ? -magnitude : magnitude;
    return true;
  }
  double magnitude = 0;
  const auto [stopped, status] = std::from_chars(first, p, magnitude, std::chars_format::general);
  *value = negative ? -magnitude : magnitude;
  return stopped == p && status == std::errc();
}

struct PlainChunk {
  std::string_view text;  // whole lines
  Index first = 0, rows = 0;
};

// Into the rows of the chunk; false where something is out of the ordinary.
bool ReadChunk(const PlainChunk& chunk, char separator, const std::vector<bool>& kept, Matrix& values) {
  const char* at = chunk.text.data();
  const char* const end = at + chunk.text.size();
  const std::size_t columns = kept.size();
  for (Index row = chunk.first; row < chunk.first + chunk.rows; ++row) {
    Index column = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      if (kept[j]) {
        double value = 0;
        if (!ReadDecimal(at, end, &value)) return false;
        values(row, column++) = value;
      } else {
        while (at != end && *at != separator && *at != '\n' && *at != '\r') ++at;
      }
      if (j + 1 == columns) break;
      if (at == end || *at != separator) return false;
      ++at;
    }
    if (at != end && *at == '\r') ++at;
    if (at == end) return row + 1 == chunk.first + chunk.rows && at[-1] != '\r';
    if (*at++ != '\n') return false;
  }
  return at == end;
}

Index CountLines(std::string_view text) {
  const Index ends = static_cast<Index>(std::count(text.begin(), text.end(), '\n'));
  return text.empty() || text.back() == '\n' ? ends : ends + 1;
}

}  // namespace

std::optional<Matrix> ReadPlainRows(std::string_view text, char separator, const std::vector<bool>& kept, int threads) {
  const Index columns = static_cast<Index>(std::count(kept.begin(), kept.end(), true));
  if (text.empty() || columns == 0) return std::nullopt;
  if (std::memchr(text.data(), '"', text.size()) != nullptr) return std::nullopt;
  if (text.find('#') != std::string_view::npos) return std::nullopt;
  std::vector<PlainChunk> chunks;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = std::min(text.size(), begin + kChunk);
    end = std::min(text.find('\n', end - 1), text.size() - 1) + 1;
    chunks.push_back({text.substr(begin, end - begin)});
    begin = end;
  }
  ThreadPool pool(chunks.size() > 1 ? ResolveThreads(threads) : 1);
  const int count = static_cast<int>(chunks.size());
  pool.Run(count, [&](int k, int) { chunks[k].rows = CountLines(chunks[k].text); });
  Index rows = 0;
  for (PlainChunk& chunk : chunks) {
    chunk.first = rows;
    rows += chunk.rows;
  }
  if (rows >= std::numeric_limits<int>::max()) return std::nullopt;
  Matrix values(rows, columns);
  std::vector<char> plain(chunks.size(), 0);
  pool.Run(count, [&](int k, int) { plain[k] = ReadChunk(chunks[k], separator, kept, values) ? 1 : 0; });
  if (std::count(plain.begin(), plain.end(), 0) > 0) return std::nullopt;
  return values;
}

}  // namespace instantgp

#include "instantgp/data/csv_cut.h"

#include <algorithm>

#include "instantgp/data/byte_scan.h"
#include "instantgp/data/csv_lexer.h"

namespace instantgp {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

struct Cut {
  std::size_t end = 0;
  bool complete = false;  // else the text ends before the record does, or may do so
};

bool IsBlank(char c, char separator) { return (c == ' ' || c == '\t') && c != separator; }

// Whether the quote at `at`, in a line that begins at `begin`, opens a cell.
bool Opens(std::string_view text, std::size_t begin, std::size_t at, char separator) {
  while (at > begin && IsBlank(text[at - 1], separator)) --at;
  return at == begin || text[at - 1] == separator;
}

// Behind the quote that closes the one at `at`; kNowhere: the text ends before.
std::size_t BehindQuoted(std::string_view text, std::size_t at) {
  for (at = text.find('"', at + 1); at != kNowhere; at = text.find('"', at + 2)) {
    if (at + 1 == text.size() || text[at + 1] != '"') return at + 1;
  }
  return kNowhere;
}

bool IsComment(std::string_view text, std::size_t begin, char separator) {
  while (begin < text.size() && IsBlank(text[begin], separator)) ++begin;
  return begin < text.size() && text[begin] == '#';
}

// As below, where returns alone end lines too.
Cut NextCutByLexer(std::string_view text, std::size_t begin, std::size_t end, char separator) {
  CsvLexer lexer(text.substr(begin), separator);
  std::vector<CsvCell> cells;
  while (lexer.Next(cells)) {
    const std::size_t reached = begin + lexer.position();
    if (reached >= end && text[reached - 1] == '\n') return {reached, true};
  }
  // A quote that is malformed, one that is still open, or comments behind the last record.
  return {text.size(), !lexer.problem().empty() && begin + lexer.position() < text.size()};
}

// The end of the lines from `begin`, where a line begins, to the next line feed outside quotes.
Cut NextCut(std::string_view text, std::size_t begin, char separator) {
  std::size_t feed = text.find('\n', begin), at = begin;
  for (;;) {
    const std::size_t end = feed == kNowhere ? text.size() : feed + 1;
    const std::size_t quote = text.substr(0, end).find('"', at);
    if (quote == kNowhere) return {end, feed != kNowhere};
    const std::size_t back = text.substr(0, end).find('\r', at);
    if (back != kNowhere && back + 1 != feed) return NextCutByLexer(text, begin, end, separator);
    if (at == begin && IsComment(text, begin, separator)) return {end, feed != kNowhere};
    at = quote + 1;
    if (!Opens(text, begin, quote, separator)) continue;
    at = BehindQuoted(text, quote);
    if (at == kNowhere) return {text.size(), false};
    // What follows must be a separator or the end of the line: anything else is malformed, and found to be so.
    std::size_t next = at;
    while (next < text.size() && IsBlank(text[next], separator)) ++next;
    if (next < text.size() && text[next] != separator && text[next] != '\n' && text[next] != '\r') {
      return {text.size(), true};
    }
    if (at > end) feed = text.find('\n', at);
  }
}

}  // namespace

std::size_t EndOfRecords(std::string_view text, char separator) {
  if (text.find('"') != kNowhere) {
    std::size_t last = 0;
    while (last < text.size()) {
      const Cut cut = NextCut(text, last, separator);
      if (!cut.complete) break;
      last = cut.end;
    }
    return last;
  }
  const std::size_t end = text.find_last_of('\n');
  if (end != kNowhere) return end + 1;
  // Returns alone; one at the very end may be half of a line end.
  const std::size_t lone = text.size() < 2 ? kNowhere : text.find_last_of('\r', text.size() - 2);
  return lone == kNowhere ? 0 : lone + 1;
}

std::vector<std::size_t> CutAtRecords(std::string_view text, char separator, std::size_t bytes) {
  std::vector<std::size_t> ends;
  const bool quotes = text.find('"') != kNowhere;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    if (quotes) {
      while (end < text.size() && end - begin < bytes) end = NextCut(text, end, separator).end;
    } else {
      end = std::min(text.find('\n', std::min(text.size(), begin + bytes) - 1), text.size() - 1) + 1;
    }
    ends.push_back(end);
    begin = end;
  }
  return ends;
}

std::vector<std::size_t> CutAtEvenQuotes(std::string_view text, std::size_t bytes) {
  std::vector<std::size_t> ends;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = std::min(text.size(), begin + bytes);
    std::size_t quotes = byte_scan::Count(text.substr(begin, end - begin), '"');
    while (end < text.size() && (quotes % 2 != 0 || text[end - 1] != '\n')) {
      if (end - begin > 2 * bytes) return {};
      const std::size_t next = std::min(text.find('\n', end), text.size() - 1) + 1;
      quotes += byte_scan::Count(text.substr(end, next - end), '"');
      end = next;
    }
    ends.push_back(end);
    begin = end;
  }
  return ends;
}

}  // namespace instantgp

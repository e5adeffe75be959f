#include "instantgp/data/csv_cut.h"

#include <algorithm>

#include "instantgp/data/csv_lexer.h"

namespace instantgp {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

struct Cut {
  std::size_t end = 0;
  bool complete = false;  // else the text ends before the record does, or may do so
};

// The end of the lines from `begin`, where a line begins, to the next line feed outside quotes.
Cut NextCut(std::string_view text, std::size_t begin, char separator) {
  const std::size_t feed = text.find('\n', begin);
  const std::size_t end = feed == kNowhere ? text.size() : feed + 1;
  if (text.substr(begin, end - begin).find('"') == kNowhere) return {end, feed != kNowhere};
  CsvLexer lexer(text.substr(begin), separator);
  std::vector<CsvCell> cells;
  while (lexer.Next(cells)) {
    const std::size_t reached = begin + lexer.position();
    if (reached >= end && text[reached - 1] == '\n') return {reached, true};
  }
  // A quote that is malformed, one that is still open, or comments behind the last record.
  return {text.size(), !lexer.problem().empty() && begin + lexer.position() < text.size()};
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

}  // namespace instantgp

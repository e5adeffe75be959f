// CSV text to records of cells: quoting, line ends, comments, blank lines. Numbers are csv_number.h's business.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace instantgp {

// A cell as it stands in the text, without its quotes and the blanks around it.
struct CsvCell {
  std::string_view raw;
  bool doubled_quotes = false;  // raw still holds "" for each quote

  std::string text() const;
};

// Reads record after record. The text must outlive the cells.
//
// A record ends at LF, CRLF or CR outside quotes. Lines of blanks only and lines whose first character that is no blank
// is
// '#' are passed over. Blanks around a cell do not belong to it unless quoted.
class CsvLexer {
 public:
  // `line` is the number of the text's first line.
  CsvLexer(std::string_view text, char separator, int line = 1) : text_(text), separator_(separator), line_(line) {}

  // False at the end of the text, or at a malformed quote: then problem() is not empty.
  bool Next(std::vector<CsvCell>& cells);

  int line() const { return record_line_; }  // 1-based, where the last record began; stays at the largest int
  // Where the next record, or what is passed over before it, begins: its place in the text and its line.
  std::size_t position() const { return position_; }
  int next_line() const { return line_; }
  const std::string& problem() const { return problem_; }
  int problem_line() const { return problem_line_; }

 private:
  bool SkipToRecord();
  bool ReadQuoted(CsvCell& cell);
  void ReadPlain(CsvCell& cell);
  void SkipBlanks();
  void SkipLineEnd();
  void CountLine() { line_ += line_ < std::numeric_limits<int>::max() ? 1 : 0; }
  bool AtLineEnd() const { return position_ == text_.size() || text_[position_] == '\n' || text_[position_] == '\r'; }

  std::string_view text_;
  char separator_;
  std::size_t position_ = 0;
  int line_;
  int record_line_ = 0;
  std::string problem_;
  int problem_line_ = 0;
};

// ',' ';' or tab: the one that gives every record the same number of cells above one, ';' before tab before ',' since a
// decimal comma looks like a separator. Failing that, the one with the most cells in the first record.
char DetectSeparator(std::string_view text);

}  // namespace instantgp

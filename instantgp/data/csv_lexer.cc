#include "instantgp/data/csv_lexer.h"

namespace instantgp {

std::string CsvCell::text() const {
  std::string result(raw);
  if (!doubled_quotes) return result;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[kept++] = result[i];
    if (result[i] == '"') ++i;  // the second of the pair
  }
  result.resize(kept);
  return result;
}

void CsvLexer::SkipBlanks() {
  while (position_ < text_.size() && text_[position_] != separator_ &&
         (text_[position_] == ' ' || text_[position_] == '\t')) {
    ++position_;
  }
}

void CsvLexer::SkipLineEnd() {
  if (position_ == text_.size()) return;
  if (text_[position_] == '\r' && position_ + 1 < text_.size() && text_[position_ + 1] == '\n') ++position_;
  ++position_;
  CountLine();
}

bool CsvLexer::SkipToRecord() {
  while (position_ < text_.size()) {
    const std::size_t start = position_;
    SkipBlanks();
    if (!AtLineEnd() && text_[position_] != '#') {
      position_ = start;
      return true;
    }
    while (!AtLineEnd()) ++position_;
    SkipLineEnd();
  }
  return false;
}

void CsvLexer::ReadPlain(CsvCell& cell) {
  const std::size_t start = position_;
  while (!AtLineEnd() && text_[position_] != separator_) ++position_;
  std::size_t end = position_;
  while (end > start && (text_[end - 1] == ' ' || text_[end - 1] == '\t')) --end;
  cell.raw = text_.substr(start, end - start);
  cell.doubled_quotes = false;
}

bool CsvLexer::ReadQuoted(CsvCell& cell) {
  const int opened = line_;
  const std::size_t start = ++position_;
  cell.doubled_quotes = false;
  for (;; ++position_) {
    if (position_ == text_.size()) {
      problem_ = "a quote is opened here and never closed";
      problem_line_ = opened;
      return false;
    }
    const char c = text_[position_];
    const char next = position_ + 1 < text_.size() ? text_[position_ + 1] : '\0';
    if (c == '\n' || (c == '\r' && next != '\n')) CountLine();
    if (c != '"') continue;
    if (next != '"') break;
    cell.doubled_quotes = true;
    ++position_;
  }
  cell.raw = text_.substr(start, position_ - start);
  ++position_;
  SkipBlanks();
  if (AtLineEnd() || text_[position_] == separator_) return true;
  problem_ = "text follows a closing quote";
  problem_line_ = line_;
  return false;
}

bool CsvLexer::Next(std::vector<CsvCell>& cells) {
  cells.clear();
  if (!problem_.empty() || !SkipToRecord()) return false;
  record_line_ = line_;
  for (;;) {
    SkipBlanks();
    CsvCell cell;
    if (position_ < text_.size() && text_[position_] == '"') {
      if (!ReadQuoted(cell)) return false;
    } else {
      ReadPlain(cell);
    }
    cells.push_back(cell);
    if (AtLineEnd()) break;
    ++position_;  // the separator
  }
  SkipLineEnd();
  return true;
}

char DetectSeparator(std::string_view text) {
  constexpr int kRecordsTried = 20;
  char widest = ',';
  std::size_t most_cells = 1;
  for (const char separator : {';', '\t', ','}) {
    CsvLexer lexer(text, separator);
    std::vector<CsvCell> cells;
    std::size_t first = 0;
    bool consistent = true;
    for (int record = 0; record < kRecordsTried && lexer.Next(cells); ++record) {
      if (record == 0) first = cells.size();
      consistent = consistent && cells.size() == first;
    }
    if (first > 1 && consistent && lexer.problem().empty()) return separator;
    if (first > most_cells) {
      most_cells = first;
      widest = separator;
    }
  }
  return widest;
}

}  // namespace instantgp

// The columns of a table as numbers or texts, read fast and on all cores.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace instantgp {

struct CsvLayout {
  char separator = ',';
  bool decimal_comma = false;
  std::vector<bool> kept;          // of every column: whether it is read
  std::vector<bool> as_text = {};  // and whether as texts; empty: none
};

struct NumberColumns {
  std::vector<std::vector<double>> columns;  // those kept as numbers; NaN: the cell is missing
  std::vector<bool> missing;                 // of each: whether a cell of it is
  std::vector<bool> text;  // of each: whether a cell of it is no number, and then its numbers mean nothing
  std::vector<std::vector<std::string>> texts;  // of those kept as texts
  std::vector<int> line_of_row;
};

// The records of `text`, whose first line has the number `line`: those of CsvLexer, their cells as ReadCell() reads
// them to the last bit. Rows of plain cells are read at once, others by the lexer. nullopt where a record is
// malformed or a number infinite: then the reader that can say what is wrong, and where, has to read the text.
// `threads` as in ResolveThreads; the result does not depend on it.
std::optional<NumberColumns> ReadNumberColumns(std::string_view text, const CsvLayout& layout, int line = 1,
                                               int threads = 0);

}  // namespace instantgp

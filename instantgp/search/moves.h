// The neighbourhood of a structure: what beam search tries next.
#pragma once

#include <vector>

#include "instantgp/kernel/structure.h"

namespace instantgp {

struct MoveOptions {
  int columns = 1;                   // of the table
  std::vector<BaseSymbol> alphabet;  // ascending
  int max_addends = 4;               // on one column; different ones
  // Columns that say equal or different (levels of a category, gaps) and carry the first symbol of the alphabet, SE, or
  // nothing. Empty: none.
  std::vector<bool> levels = {};
};

// Where a search starts, the more promising first. With several columns: each symbol on all of them, the built-in list
// of an ensemble (BenchmarkStructures) on all of them; then, or with one column alone, each symbol on each column.
std::vector<Structure> Beginnings(const MoveOptions& options);

// In a fixed order, each once, without the structure itself:
//   add a symbol on a column in use, or on one that is not (which takes the column into the model);
//   swap a symbol for another; drop one (the last of a column leaves the column out; the last of all stays);
//   merge two addends of a column into a product of a factor of each (SE + LIN*PER to SE*PER), split a product (SE*PER
//   to SE + PER); with several columns in use also: add a symbol on all of them, swap it for another on all of them.
std::vector<Structure> Neighbours(const Structure& structure, const MoveOptions& options);

}  // namespace instantgp

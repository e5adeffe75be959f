// The 24 structures every comparison on real data uses, the same on every column.
#pragma once

#include <string>
#include <vector>

#include "instantgp/kernel/structure.h"

namespace instantgp {

// A sum of base symbols on one column, ascending.
using ColumnSymbols = std::vector<BaseSymbol>;

// SE, LIN, PER, SE*LIN, SE*PER, LIN*PER: the base symbols of the paper, which has no MAT52.
const std::vector<BaseSymbol>& PaperSymbols();

// Six single symbols, then six pairs, six triples and six quadruples of different paper symbols. The paper draws the
// latter at random without saying which came out, so ours are drawn once: sets of k symbols in lexicographic order,
// shuffled with RandomStream(kBenchmarkSeed, k), the first six kept, sorted. No set occurs twice.
inline constexpr unsigned kBenchmarkSeed = 24;
std::vector<ColumnSymbols> BenchmarkStructures();

// The same sum on each of d columns.
Structure SpreadOverColumns(const ColumnSymbols& symbols, int d);

// "SE + LIN*PER": the kernel language's shorthand for the same on every column.
std::string ShorthandText(const ColumnSymbols& symbols);

}  // namespace instantgp

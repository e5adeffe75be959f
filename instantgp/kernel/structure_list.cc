#include "instantgp/kernel/structure_list.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/base/rng.h"

namespace instantgp {
namespace {

constexpr int kSetsPerSize = 6;

// All sets of `size` paper symbols in lexicographic order.
std::vector<ColumnSymbols> AllSets(int size) {
  const std::vector<BaseSymbol>& symbols = PaperSymbols();
  std::vector<ColumnSymbols> sets;
  for (unsigned bits = 0; bits < 1U << symbols.size(); ++bits) {
    if (std::popcount(bits) != size) continue;
    ColumnSymbols set;
    for (std::size_t k = 0; k < symbols.size(); ++k) {
      if ((bits >> k & 1U) != 0) set.push_back(symbols[k]);
    }
    sets.push_back(std::move(set));
  }
  std::sort(sets.begin(), sets.end());
  return sets;
}

std::vector<ColumnSymbols> DrawSets(int size) {
  std::vector<ColumnSymbols> sets = AllSets(size);
  RandomStream random(kBenchmarkSeed, static_cast<std::uint64_t>(size));
  const int count = static_cast<int>(sets.size());
  for (int i = 0; i < kSetsPerSize; ++i) std::swap(sets[i], sets[random.UniformInt(i, count - 1)]);
  sets.resize(kSetsPerSize);
  std::sort(sets.begin(), sets.end());
  return sets;
}

}  // namespace

const std::vector<BaseSymbol>& PaperSymbols() {
  static const std::vector<BaseSymbol> symbols = [] {
    std::vector<BaseSymbol> without_matern;
    for (const BaseSymbol symbol : kAllBaseSymbols) {
      const auto factors = FactorsOf(symbol);
      if (std::find(factors.begin(), factors.end(), Elementary::kMAT52) == factors.end()) {
        without_matern.push_back(symbol);
      }
    }
    return without_matern;
  }();
  return symbols;
}

std::vector<ColumnSymbols> BenchmarkStructures() {
  std::vector<ColumnSymbols> list = AllSets(1);
  for (int size = 2; size <= 4; ++size) {
    for (ColumnSymbols& set : DrawSets(size)) list.push_back(std::move(set));
  }
  return list;
}

Structure SpreadOverColumns(const ColumnSymbols& symbols, int d) {
  INSTANTGP_CHECK(d > 0 && !symbols.empty());
  Structure structure;
  for (int column = 0; column < d; ++column) {
    structure.columns.push_back(column);
    structure.symbols.push_back(symbols);
  }
  return structure;
}

std::string ShorthandText(const ColumnSymbols& symbols) {
  std::string text;
  for (BaseSymbol symbol : symbols) text += (text.empty() ? "" : " + ") + std::string(Name(symbol));
  return text;
}

}  // namespace instantgp

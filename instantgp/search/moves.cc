#include "instantgp/search/moves.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "instantgp/kernel/structure_list.h"

namespace instantgp {
namespace {

// Columns with their symbols, both ascending: moves are set operations on it.
using Grid = std::map<int, std::set<BaseSymbol>>;

Grid ToGrid(const Structure& structure) {
  Grid grid;
  for (std::size_t i = 0; i < structure.columns.size(); ++i) {
    grid[structure.columns[i]].insert(structure.symbols[i].begin(), structure.symbols[i].end());
  }
  return grid;
}

Structure FromGrid(const Grid& grid) {
  Structure structure;
  for (const auto& [column, symbols] : grid) {
    if (symbols.empty()) continue;
    structure.columns.push_back(column);
    structure.symbols.emplace_back(symbols.begin(), symbols.end());
  }
  return structure;
}

// Collects what is new and allowed, in the order of arrival.
class Collector {
 public:
  Collector(const Grid& origin, const MoveOptions& options) : options_(options) { seen_.insert(origin); }

  void Add(const Grid& grid) {
    bool any = false;
    for (const auto& [column, symbols] : grid) {
      if (static_cast<int>(symbols.size()) > options_.max_addends) return;
      any = any || !symbols.empty();
    }
    if (!any) return;
    Grid plain = grid;
    std::erase_if(plain, [](const auto& entry) { return entry.second.empty(); });
    for (auto& [column, symbols] : plain) {
      if (!options_.levels.empty() && options_.levels[static_cast<std::size_t>(column)]) {
        symbols = {options_.alphabet.front()};
      }
    }
    if (seen_.insert(plain).second) found_.push_back(FromGrid(plain));
  }

  std::vector<Structure> Found() { return std::move(found_); }

 private:
  const MoveOptions& options_;
  std::set<Grid> seen_;
  std::vector<Structure> found_;
};

Grid Swapped(Grid grid, int column, BaseSymbol from, BaseSymbol to) {
  grid[column].erase(from);
  grid[column].insert(to);
  return grid;
}

void OneColumnMoves(const Grid& grid, const MoveOptions& options, Collector& out) {
  for (int column = 0; column < options.columns; ++column) {
    for (const BaseSymbol symbol : options.alphabet) {
      Grid next = grid;
      next[column].insert(symbol);
      out.Add(next);
    }
  }
  for (const auto& [column, symbols] : grid) {
    for (const BaseSymbol symbol : symbols) {
      Grid next = grid;
      next[column].erase(symbol);
      out.Add(next);
    }
  }
  for (const auto& [column, symbols] : grid) {
    for (const BaseSymbol from : symbols) {
      for (const BaseSymbol to : options.alphabet) out.Add(Swapped(grid, column, from, to));
    }
  }
}

bool Knows(const MoveOptions& options, BaseSymbol symbol) {
  return std::find(options.alphabet.begin(), options.alphabet.end(), symbol) != options.alphabet.end();
}

std::optional<BaseSymbol> Single(Elementary factor, const MoveOptions& options) {
  for (const BaseSymbol symbol : options.alphabet) {
    const auto factors = FactorsOf(symbol);
    if (factors.size() == 1 && factors[0] == factor) return symbol;
  }
  return std::nullopt;
}

void MergeAndSplitMoves(const Grid& grid, const MoveOptions& options, Collector& out) {
  for (const auto& [column, symbols] : grid) {
    for (auto first = symbols.begin(); first != symbols.end(); ++first) {
      for (auto second = std::next(first); second != symbols.end(); ++second) {
        for (const Elementary a : FactorsOf(*first)) {
          for (const Elementary b : FactorsOf(*second)) {
            const std::optional<BaseSymbol> product = ProductSymbol(a, b);
            if (!product || !Knows(options, *product)) continue;
            Grid next = Swapped(grid, column, *first, *product);
            if (*second != *product) next[column].erase(*second);
            out.Add(next);
          }
        }
      }
      const auto factors = FactorsOf(*first);
      if (factors.size() != 2) continue;
      const std::optional<BaseSymbol> a = Single(factors[0], options), b = Single(factors[1], options);
      if (!a || !b) continue;
      Grid next = Swapped(grid, column, *first, *a);
      next[column].insert(*b);
      out.Add(next);
    }
  }
}

void EveryColumnMoves(const Grid& grid, const MoveOptions& options, Collector& out) {
  for (const BaseSymbol symbol : options.alphabet) {
    Grid next = grid;
    for (auto& [column, symbols] : next) symbols.insert(symbol);
    out.Add(next);
  }
  for (const BaseSymbol from : options.alphabet) {
    for (const BaseSymbol to : options.alphabet) {
      Grid next = grid;
      for (auto& [column, symbols] : next) {
        if (symbols.erase(from) > 0) symbols.insert(to);
      }
      out.Add(next);
    }
  }
}

}  // namespace

std::vector<Structure> Beginnings(const MoveOptions& options) {
  Collector out({}, options);
  const auto add_on_all = [&](const ColumnSymbols& symbols) {
    Grid grid;
    for (int column = 0; column < options.columns; ++column) grid[column] = {symbols.begin(), symbols.end()};
    out.Add(grid);
  };
  for (const BaseSymbol symbol : options.alphabet) add_on_all({symbol});
  if (options.columns > 1) {  // along a single one the first rounds reach them
    for (const ColumnSymbols& symbols : BenchmarkStructures()) {
      const bool known = std::all_of(symbols.begin(), symbols.end(), [&](BaseSymbol s) { return Knows(options, s); });
      if (known) add_on_all(symbols);
    }
  }
  for (int column = 0; column < options.columns; ++column) {
    for (const BaseSymbol symbol : options.alphabet) out.Add({{column, {symbol}}});
  }
  return out.Found();
}

std::vector<Structure> Neighbours(const Structure& structure, const MoveOptions& options) {
  const Grid grid = ToGrid(structure);
  Collector out(grid, options);
  OneColumnMoves(grid, options, out);
  MergeAndSplitMoves(grid, options, out);
  if (grid.size() > 1) EveryColumnMoves(grid, options, out);
  return out.Found();
}

}  // namespace instantgp

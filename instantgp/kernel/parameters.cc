#include "instantgp/kernel/parameters.h"

#include <cmath>
#include <map>

namespace instantgp {
namespace {

using Op = Expression::Op;

// Walks the leaves depth-first. Leaves that are multiplied with each other on one column are one addend of that column:
// in the family these are the base symbols; elsewhere, as in SE*(SE + LIN) on one column, every such group is listed.
class TableBuilder {
 public:
  explicit TableBuilder(const Expression& expression) { Visit(expression); }
  std::vector<Parameter> table;

 private:
  struct Addend {
    int number;
    std::string symbol;
  };

  void Visit(const Expression& e) {
    if (e.op == Op::kLeaf) {
      AddLeaf(e, NewAddend(e));
    } else if (e.op == Op::kSum) {
      for (const Expression& term : e.terms) Visit(term);
    } else {
      VisitProduct(e);
    }
  }

  void VisitProduct(const Expression& e) {
    std::map<int, std::string> symbols;
    for (const Expression& term : e.terms) {
      if (term.op != Op::kLeaf) continue;
      std::string& symbol = symbols[term.column];
      if (!symbol.empty()) symbol += '*';
      symbol += Name(term.symbol);
    }
    std::map<int, Addend> addends;
    for (const Expression& term : e.terms) {
      if (term.op != Op::kLeaf) {
        Visit(term);
        continue;
      }
      auto found = addends.find(term.column);
      if (found == addends.end()) {
        found = addends.emplace(term.column, Addend{NewAddend(term).number, symbols[term.column]}).first;
      }
      AddLeaf(term, found->second);
    }
  }

  Addend NewAddend(const Expression& leaf) {
    return {addends_of_column_[leaf.column]++, std::string(Name(leaf.symbol))};
  }

  void AddLeaf(const Expression& leaf, const Addend& addend) {
    for (ParameterKind kind : ParametersOf(leaf.symbol)) {
      table.push_back({leaf_, addend.number, leaf.column, leaf.symbol, addend.symbol, kind, PriorOf(kind)});
    }
    ++leaf_;
  }

  int leaf_ = 0;
  std::map<int, int> addends_of_column_;
};

}  // namespace

std::vector<Parameter> ParameterTable(const Expression& expression) { return TableBuilder(expression).table; }

int NumParameters(const Expression& expression) {
  if (expression.op == Op::kLeaf) return static_cast<int>(ParametersOf(expression.symbol).size());
  int count = 0;
  for (const Expression& term : expression.terms) count += NumParameters(term);
  return count;
}

Vector DrawFromPrior(const std::vector<Parameter>& table, RandomStream& random) {
  Vector log_parameters(static_cast<Index>(table.size()) + 1);
  Index i = 0;
  for (const Parameter& parameter : table) {
    log_parameters[i++] = std::log(random.Gamma(parameter.prior.shape, parameter.prior.rate));
  }
  log_parameters[i] = std::log(random.Exponential(kNoisePriorMean));
  return log_parameters;
}

}  // namespace instantgp

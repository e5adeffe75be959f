#include "instantgp/kernel/parameters.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "instantgp/base/check.h"
#include "instantgp/kernel/log_parameters.h"

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

// Fills direction[row...] for the leaves of an expression that is to be multiplied by exp(share).
void AddScale(const Expression& expression, double share, Vector& direction, Index& row) {
  if (expression.op == Expression::Op::kLeaf) {
    for (ParameterKind kind : ParametersOf(expression.symbol)) {
      const bool scales = kind == ParameterKind::kVariance || kind == ParameterKind::kOffset;
      direction[row++] = scales ? share : 0;
    }
    return;
  }
  if (expression.op == Expression::Op::kProduct) share /= static_cast<double>(expression.terms.size());
  for (const Expression& term : expression.terms) AddScale(term, share, direction, row);
}

}  // namespace

ParameterTable::ParameterTable(const Expression& expression) : parameters_(TableBuilder(expression).table) {}

GammaPrior ParameterTable::PriorOfRow(Index row) const {
  const auto place = static_cast<std::size_t>(row);
  return place < parameters_.size() ? parameters_[place].prior : NoisePrior();
}

Index ParameterTable::Row(int leaf, ParameterKind kind) const {
  const auto found = std::find_if(parameters_.begin(), parameters_.end(),
                                  [&](const Parameter& p) { return p.leaf == leaf && p.kind == kind; });
  INSTANTGP_CHECK(found != parameters_.end());
  return found - parameters_.begin();
}

std::vector<Index> ParameterTable::Rows(ParameterKind kind, std::initializer_list<Elementary> kernels) const {
  std::vector<Index> rows;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i].kind != kind) continue;
    if (std::find(kernels.begin(), kernels.end(), parameters_[i].elementary) == kernels.end()) continue;
    rows.push_back(static_cast<Index>(i));
  }
  return rows;
}

std::vector<Index> ParameterTable::RowsOf(int column, ParameterKind kind, Elementary kernel) const {
  std::vector<Index> rows = Rows(kind, {kernel});
  std::erase_if(rows, [&](Index row) { return parameters_[static_cast<std::size_t>(row)].column != column; });
  return rows;
}

int NumParameters(const Expression& expression) {
  if (expression.op == Op::kLeaf) return static_cast<int>(ParametersOf(expression.symbol).size());
  int count = 0;
  for (const Expression& term : expression.terms) count += NumParameters(term);
  return count;
}

double& LogParameters::Of(const ParameterTable& table, int leaf, ParameterKind kind) {
  return (*this)[table.Row(leaf, kind)];
}

double LogParameters::Of(const ParameterTable& table, int leaf, ParameterKind kind) const {
  return (*this)[table.Row(leaf, kind)];
}

LogParameters DrawFromPrior(const ParameterTable& table, RandomStream& random) {
  LogParameters log_parameters = Vector(static_cast<Index>(table.size()) + 1);
  Index i = 0;
  for (const Parameter& parameter : table) {
    log_parameters[i++] = std::log(random.Gamma(parameter.prior.shape, parameter.prior.rate));
  }
  log_parameters.noise() = std::log(random.Exponential(kNoisePriorMean));
  return log_parameters;
}

LogParameters ScaleDirection(const Expression& expression) {
  LogParameters direction = Vector::Zero(NumParameters(expression) + 1);
  Index row = 0;
  AddScale(expression, 1, direction, row);
  direction.noise() = 1;
  return direction;
}

}  // namespace instantgp

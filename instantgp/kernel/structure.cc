#include "instantgp/kernel/structure.h"

#include <algorithm>
#include <string>
#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/kernel/column_text.h"

namespace instantgp {
namespace {

using Op = Expression::Op;

constexpr const char* kFamily =
    "the family is a product over columns of sums of SE, LIN, PER, MAT52 and products of two of them";

// Why one column's factors are not a sum of base symbols, or the sum. `factors` are terms of a canonical product (or a
// single term) that all act on the one column.
struct ColumnSum {
  std::vector<BaseSymbol> symbols;
  std::string why_not;
};

std::string Joined(const std::vector<const Expression*>& leaves) {
  std::string text;
  for (const Expression* leaf : leaves) {
    if (!text.empty()) text += '*';
    text += Name(leaf->symbol);
  }
  return text;
}

// A product of leaves as one base symbol.
ColumnSum SymbolOf(const std::vector<const Expression*>& leaves, const std::string& column) {
  for (const Expression* leaf : leaves) {
    if (!ToBaseSymbol(leaf->symbol)) return {{}, "it was not trained on " + std::string(Name(leaf->symbol))};
  }
  if (leaves.size() == 1) return {{*ToBaseSymbol(leaves[0]->symbol)}, ""};
  if (leaves.size() > 2) {
    return {{}, "the product " + Joined(leaves) + " on " + column + " has more than two factors"};
  }
  const std::optional<BaseSymbol> symbol = ProductSymbol(leaves[0]->symbol, leaves[1]->symbol);
  if (!symbol) return {{}, "the product " + Joined(leaves) + " on " + column + " repeats a symbol"};
  return {{*symbol}, ""};
}

ColumnSum SumOf(const std::vector<const Expression*>& factors, const std::string& column) {
  const auto is_leaf = [](const Expression* e) { return e->op == Op::kLeaf; };
  if (std::all_of(factors.begin(), factors.end(), is_leaf)) return SymbolOf(factors, column);
  if (factors.size() > 1) return {{}, "a sum on " + column + " is multiplied by something else on the same column"};

  ColumnSum sum;
  for (const Expression& term : factors[0]->terms) {
    std::vector<const Expression*> leaves = {&term};
    if (term.op == Op::kProduct) {
      leaves.clear();
      for (const Expression& factor : term.terms) leaves.push_back(&factor);
      if (!std::all_of(leaves.begin(), leaves.end(), is_leaf)) {
        return {{}, "a sum on " + column + " is multiplied by something else on the same column"};
      }
    }
    ColumnSum addend = SymbolOf(leaves, column);
    if (!addend.why_not.empty()) return addend;
    sum.symbols.push_back(addend.symbols.front());
  }
  return sum;
}

std::string ColumnLabel(int column, const std::vector<std::string>& names) {
  const bool has_name = column >= 0 && column < static_cast<int>(names.size());
  return "column " + (has_name ? ColumnText(column, names) : std::to_string(column + 1));
}

// Fills `structure` or says why not.
std::string Classify(const Expression& canonical, const std::vector<std::string>& names, Structure& structure) {
  std::vector<const Expression*> terms = {&canonical};
  if (canonical.op == Op::kProduct) {
    terms.clear();
    for (const Expression& term : canonical.terms) terms.push_back(&term);
  }
  // Terms of a canonical product are sorted by their smallest column, so a column's factors are neighbours.
  for (std::size_t begin = 0; begin < terms.size();) {
    std::vector<const Expression*> factors;
    int column = 0;
    for (; begin < terms.size(); ++begin) {
      const std::vector<int> columns = ColumnsOf(*terms[begin]);
      if (columns.size() > 1) {
        return "a sum has terms on different columns (" + ColumnLabel(columns[0], names) + ", " +
               ColumnLabel(columns[1], names) + ")";
      }
      if (!factors.empty() && columns[0] != column) break;
      column = columns[0];
      factors.push_back(terms[begin]);
    }
    ColumnSum sum = SumOf(factors, ColumnLabel(column, names));
    if (!sum.why_not.empty()) return sum.why_not;
    structure.columns.push_back(column);
    structure.symbols.push_back(std::move(sum.symbols));
  }
  return "";
}

}  // namespace

Expression ToExpression(const Structure& structure) {
  INSTANTGP_CHECK(!structure.columns.empty() && structure.columns.size() == structure.symbols.size());
  std::vector<Expression> factors;
  for (std::size_t i = 0; i < structure.columns.size(); ++i) {
    std::vector<Expression> addends;
    for (BaseSymbol symbol : structure.symbols[i]) {
      std::vector<Expression> leaves;
      for (Elementary factor : FactorsOf(symbol)) leaves.push_back(Expression::Leaf(factor, structure.columns[i]));
      addends.push_back(Expression::Product(std::move(leaves)));
    }
    factors.push_back(Expression::Sum(std::move(addends)));
  }
  return Canonical(Expression::Product(std::move(factors)));
}

std::optional<Structure> ToStructure(const Expression& expression) {
  Structure structure;
  if (!Classify(Canonical(expression), {}, structure).empty()) return std::nullopt;
  return structure;
}

Index Factor::Row(ParameterKind kind) const {
  const auto kinds = ParametersOf(elementary);
  const auto found = std::find(kinds.begin(), kinds.end(), kind);
  INSTANTGP_CHECK(found != kinds.end());
  return first + (found - kinds.begin());
}

std::vector<Addend> AddendsOf(const Structure& structure) {
  std::vector<Addend> addends;
  Index row = 0;
  for (std::size_t i = 0; i < structure.columns.size(); ++i) {
    for (const BaseSymbol symbol : structure.symbols[i]) {
      Addend addend{structure.columns[i], symbol, row, NumParameters(symbol), {}};
      for (const Elementary elementary : FactorsOf(symbol)) {
        addend.factors.push_back({elementary, row, static_cast<Index>(ParametersOf(elementary).size())});
        row += addend.factors.back().count;
      }
      addends.push_back(std::move(addend));
    }
  }
  return addends;
}

void ScaleKernel(const Structure& structure, double log_scale, Eigen::Ref<Vector> theta) {
  const double share = log_scale / structure.dimensions();
  for (const Addend& addend : AddendsOf(structure)) {
    const Factor& first = addend.factors[0];
    theta[first.Row(ParameterKind::kVariance)] += share;
    if (first.elementary == Elementary::kLIN) theta[first.Row(ParameterKind::kOffset)] += share;
  }
}

std::string WhyOutsideFamily(const Expression& expression, const std::vector<std::string>& column_names) {
  Structure structure;
  const std::string why = Classify(Canonical(expression), column_names, structure);
  return why.empty() ? "" : why + "; " + kFamily;
}

}  // namespace instantgp

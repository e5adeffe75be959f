#include "instantgp/kernel/expression.h"

#include <algorithm>
#include <compare>
#include <utility>

#include "instantgp/base/check.h"

namespace instantgp {
namespace {

int SmallestColumn(const Expression& e) {
  if (e.op == Expression::Op::kLeaf) return e.column;
  int smallest = SmallestColumn(e.terms.front());
  for (const Expression& term : e.terms) smallest = std::min(smallest, SmallestColumn(term));
  return smallest;
}

// The order of terms: (smallest column, number of leaves, kind, content). Within one column a single symbol comes
// before a product, and equals in number compare by their symbols, which is the numbering of the base symbols.
std::strong_ordering Compare(const Expression& a, const Expression& b) {
  if (auto order = SmallestColumn(a) <=> SmallestColumn(b); order != 0) return order;
  if (auto order = NumLeaves(a) <=> NumLeaves(b); order != 0) return order;
  if (auto order = a.op <=> b.op; order != 0) return order;
  if (a.op == Expression::Op::kLeaf) return a.symbol <=> b.symbol;
  return std::lexicographical_compare_three_way(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(),
                                                Compare);
}

// What the leaves fix, one after the other.
std::partial_ordering CompareFixed(const Expression& a, const Expression& b) {
  if (a.op == Expression::Op::kLeaf) return a.fixed <=> b.fixed;
  return std::lexicographical_compare_three_way(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(),
                                                CompareFixed);
}

Expression Operation(Expression::Op op, std::vector<Expression> terms) {
  INSTANTGP_CHECK(!terms.empty());
  Expression e;
  e.op = op;
  e.terms = std::move(terms);
  return e;
}

void CollectColumns(const Expression& e, std::vector<int>& columns) {
  if (e.op == Expression::Op::kLeaf) columns.push_back(e.column);
  for (const Expression& term : e.terms) CollectColumns(term, columns);
}

}  // namespace

Expression Expression::Leaf(Elementary symbol, int column) {
  Expression e;
  e.symbol = symbol;
  e.column = column;
  return e;
}

Expression Expression::Sum(std::vector<Expression> terms) { return Operation(Op::kSum, std::move(terms)); }

Expression Expression::Product(std::vector<Expression> terms) { return Operation(Op::kProduct, std::move(terms)); }

Expression Canonical(const Expression& expression) {
  if (expression.op == Expression::Op::kLeaf) {
    Expression leaf = Expression::Leaf(expression.symbol, expression.column);
    leaf.fixed = expression.fixed;
    std::sort(leaf.fixed.begin(), leaf.fixed.end(), [](const auto& a, const auto& b) { return a.kind < b.kind; });
    return leaf;
  }
  INSTANTGP_CHECK(!expression.terms.empty());
  std::vector<Expression> terms;
  terms.reserve(expression.terms.size());
  for (const Expression& term : expression.terms) {
    Expression canonical = Canonical(term);
    if (canonical.op == expression.op) {
      std::move(canonical.terms.begin(), canonical.terms.end(), std::back_inserter(terms));
    } else {
      terms.push_back(std::move(canonical));
    }
  }
  if (terms.size() == 1) return std::move(terms.front());
  std::sort(terms.begin(), terms.end(), [](const Expression& a, const Expression& b) {
    const std::strong_ordering order = Compare(a, b);
    return std::is_eq(order) ? std::is_lt(CompareFixed(a, b)) : std::is_lt(order);
  });
  return expression.op == Expression::Op::kSum ? Expression::Sum(std::move(terms))
                                               : Expression::Product(std::move(terms));
}

int NumLeaves(const Expression& expression) {
  if (expression.op == Expression::Op::kLeaf) return 1;
  int count = 0;
  for (const Expression& term : expression.terms) count += NumLeaves(term);
  return count;
}

std::vector<int> ColumnsOf(const Expression& expression) {
  std::vector<int> columns;
  CollectColumns(expression, columns);
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

std::vector<std::string> DefaultColumnNames(int d) {
  std::vector<std::string> names;
  for (int k = 1; k <= d; ++k) names.push_back("x" + std::to_string(k));
  return names;
}

}  // namespace instantgp

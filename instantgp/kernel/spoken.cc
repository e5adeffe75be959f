#include "instantgp/kernel/spoken.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "instantgp/base/check.h"
#include "instantgp/kernel/print_lengths.h"

namespace instantgp {
namespace {

using Op = Expression::Op;

// The one leaf on each input of the category among the terms of a product, all alike; empty: there are none such.
std::vector<std::size_t> LeavesOfCategory(const std::vector<Expression>& terms, const SpokenColumn& column) {
  std::vector<std::size_t> found;
  for (const int input : column.inputs) {
    std::optional<std::size_t> at;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const std::vector<int> columns = ColumnsOf(terms[i]);
      if (std::find(columns.begin(), columns.end(), input) == columns.end()) continue;
      if (at || terms[i].op != Op::kLeaf || !terms[i].fixed.empty()) return {};
      at = i;
    }
    if (!at || terms[*at].symbol != terms[found.empty() ? *at : found.front()].symbol) return {};
    found.push_back(*at);
  }
  return found;
}

int SpokenOf(int input, const std::vector<SpokenColumn>& columns) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (columns[k].inputs.size() == 1 && columns[k].inputs[0] == input) return static_cast<int>(k);
  }
  INSTANTGP_CHECK(false);
  return 0;
}

// Columns are indices of `columns` afterwards.
Expression InSpokenColumns(const Expression& e, const std::vector<SpokenColumn>& columns) {
  Expression spoken = e;
  if (e.op == Op::kLeaf) {
    spoken.column = SpokenOf(e.column, columns);
    return spoken;
  }
  spoken.terms.clear();
  std::vector<bool> taken(e.terms.size(), false);
  for (std::size_t k = 0; e.op == Op::kProduct && k < columns.size(); ++k) {
    if (columns[k].inputs.size() < 2) continue;
    const std::vector<std::size_t> leaves = LeavesOfCategory(e.terms, columns[k]);
    if (leaves.empty()) continue;
    for (const std::size_t leaf : leaves) taken[leaf] = true;
    spoken.terms.push_back(Expression::Leaf(e.terms[leaves.front()].symbol, static_cast<int>(k)));
  }
  for (std::size_t i = 0; i < e.terms.size(); ++i) {
    if (!taken[i]) spoken.terms.push_back(InSpokenColumns(e.terms[i], columns));
  }
  return spoken.terms.size() == 1 ? Expression(spoken.terms.front()) : spoken;
}

Expression OnEveryColumn(Expression e) {
  if (e.op == Op::kLeaf) e.column = Expression::kEveryColumn;
  for (Expression& term : e.terms) term = OnEveryColumn(std::move(term));
  return e;
}

Expression OnInput(Expression e, int input) {
  if (e.op == Op::kLeaf) e.column = input;
  for (Expression& term : e.terms) term = OnInput(std::move(term), input);
  return e;
}

// The product of the leaf over the inputs of a category. A variance it fixes is the product's.
Expression OnCategory(const Expression& leaf, const SpokenColumn& column) {
  std::vector<Expression> factors;
  for (const int input : column.inputs) {
    Expression factor = OnInput(leaf, input);
    for (FixedParameter& fixed : factor.fixed) {
      if (fixed.kind == ParameterKind::kVariance && !factors.empty()) fixed.value = 1;
    }
    factors.push_back(std::move(factor));
  }
  return factors.size() == 1 ? factors.front() : Expression::Product(std::move(factors));
}

// Every leaf on the inputs of its column. One without a column is BIAS, or belongs to the only column there is.
Expression Spelled(Expression e, const std::vector<SpokenColumn>& columns) {
  if (e.op != Op::kLeaf) {
    for (Expression& term : e.terms) term = Spelled(std::move(term), columns);
    return e;
  }
  auto column = columns.begin();
  if (e.column != Expression::kEveryColumn) {
    column += e.column;
  } else {
    column = std::find_if(column, columns.end(), [](const SpokenColumn& own) { return own.spread; });
  }
  if (!column->category || e.symbol == Elementary::kBIAS) return OnInput(std::move(e), column->inputs.front());
  return OnCategory(e, *column);
}

// What stands on one column alone in a product.
std::optional<Expression> FactorOn(const Expression& e, int column) {
  std::vector<Expression> factors;
  const std::vector<Expression> whole = {e};
  for (const Expression& term : e.op == Op::kProduct ? e.terms : whole) {
    if (ColumnsOf(term) == std::vector<int>{column}) factors.push_back(term);
  }
  if (factors.empty()) return std::nullopt;
  return factors.size() == 1 ? factors.front() : Expression::Product(factors);
}

}  // namespace

Expression OnInputs(Expression expression, bool named, const std::vector<SpokenColumn>& columns) {
  if (named) return Spelled(std::move(expression), columns);
  std::vector<Expression> factors;
  for (const SpokenColumn& column : columns) {
    if (!column.spread) continue;
    factors.push_back(column.category ? OnCategory(Expression::Leaf(Elementary::kSE, 0), column)
                                      : OnInput(expression, column.inputs.front()));
  }
  return factors.size() == 1 ? factors.front() : Expression::Product(std::move(factors));
}

const SpokenColumn* LengthColumn(int column, const std::vector<SpokenColumn>& columns) {
  const SpokenColumn* found = nullptr;
  if (column != Expression::kEveryColumn) {
    found = &columns[static_cast<std::size_t>(column)];
  } else {
    for (const SpokenColumn& own : columns) {
      if (!own.spread) continue;
      if (found != nullptr) return nullptr;
      found = &own;
    }
  }
  return found != nullptr && found->length ? found : nullptr;
}

std::string PrintSpoken(const Expression& expression, const std::vector<SpokenColumn>& columns) {
  const Expression canonical = Canonical(expression);
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const SpokenColumn& column : columns) names.push_back(column.name);
  const LengthPrinter length = [&](int column, double value) {
    const SpokenColumn* const own = LengthColumn(column, columns);
    return own != nullptr ? own->in_words(value) : "";
  };
  // A shorthand is one that reads back as the same kernel.
  std::optional<Expression> common = Expression::Leaf(Elementary::kSE, 0);
  for (const SpokenColumn& column : columns) {
    if (!column.spread || column.category) continue;
    common = FactorOn(canonical, column.inputs.front());
    break;
  }
  if (common) {
    std::string shorthand = Print(OnEveryColumn(*common), names, length);
    if (ParseSpokenKernel(shorthand, columns) == canonical) return shorthand;
  }
  return Print(Canonical(InSpokenColumns(canonical, columns)), names, length);
}

}  // namespace instantgp

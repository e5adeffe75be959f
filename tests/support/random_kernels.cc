#include "tests/support/random_kernels.h"

#include <algorithm>
#include <utility>

namespace instantgp::testing {

Expression RandomExpression(RandomStream& random, int d, int max_depth) {
  if (max_depth == 0 || random.Bernoulli(0.3)) {
    return Expression::Leaf(kAllElementary[static_cast<std::size_t>(random.UniformInt(0, kNumElementary - 1))],
                            random.UniformInt(0, d - 1));
  }
  std::vector<Expression> terms;
  const int count = random.UniformInt(2, 3);
  for (int i = 0; i < count; ++i) terms.push_back(RandomExpression(random, d, max_depth - 1));
  return random.Bernoulli(0.5) ? Expression::Sum(std::move(terms)) : Expression::Product(std::move(terms));
}

Structure RandomStructure(RandomStream& random, int d, int max_addends, bool skip_columns) {
  Structure structure;
  const int kept = random.UniformInt(0, d - 1);
  for (int column = 0; column < d; ++column) {
    if (skip_columns && column != kept && random.Bernoulli(0.3)) continue;
    std::vector<BaseSymbol> symbols(static_cast<std::size_t>(random.UniformInt(1, max_addends)));
    for (BaseSymbol& symbol : symbols) symbol = kAllBaseSymbols[random.UniformInt(0, kNumBaseSymbols - 1)];
    std::sort(symbols.begin(), symbols.end());
    structure.columns.push_back(column);
    structure.symbols.push_back(std::move(symbols));
  }
  return structure;
}

std::vector<Structure> AllSymbolStructures() {
  std::vector<Structure> all;
  for (const BaseSymbol a : kAllBaseSymbols) all.push_back({{0}, {{a}}});
  return all;
}

std::vector<Structure> AllPairStructures() {
  std::vector<Structure> all;
  for (const BaseSymbol a : kAllBaseSymbols) {
    for (const BaseSymbol b : kAllBaseSymbols) {
      if (b >= a) all.push_back({{0}, {{a, b}}});
    }
  }
  return all;
}

std::vector<Expression> AllLevelsAndTrends() {
  std::vector<Expression> all;
  for (const Elementary symbol : {Elementary::kMAT12, Elementary::kWIE, Elementary::kIOU, Elementary::kBIAS}) {
    const Expression leaf = Expression::Leaf(symbol, 0);
    all.push_back(leaf);
    for (const Elementary other : kAllElementary) {
      all.push_back(Canonical(Expression::Sum({leaf, Expression::Leaf(other, 0)})));
      all.push_back(Canonical(Expression::Product({leaf, Expression::Leaf(other, 0)})));
      all.push_back(Canonical(Expression::Product({leaf, Expression::Leaf(other, 1)})));
    }
  }
  return all;
}

std::vector<Structure> AllProductStructures() {
  std::vector<Structure> all;
  for (const BaseSymbol a : kAllBaseSymbols) {
    for (const BaseSymbol b : kAllBaseSymbols) all.push_back({{0, 1}, {{a}, {b}}});
  }
  return all;
}

Matrix UniformApartFrom(const Matrix& A, RandomStream& random, Index rows, double distance) {
  Matrix B(rows, A.cols());
  for (Index column = 0; column < B.cols(); ++column) {
    for (Index row = 0; row < rows; ++row) {
      double& x = B(row, column);
      do {
        x = random.Uniform();
      } while ((A.col(column).array() - x).abs().minCoeff() < distance ||
               (row > 0 && (B.col(column).head(row).array() - x).abs().minCoeff() < distance));
    }
  }
  return B;
}

Expression Shuffled(const Expression& expression, RandomStream& random) {
  Expression shuffled = expression;
  for (Expression& term : shuffled.terms) term = Shuffled(term, random);
  for (int i = static_cast<int>(shuffled.terms.size()) - 1; i > 0; --i) {
    std::swap(shuffled.terms[static_cast<std::size_t>(i)],
              shuffled.terms[static_cast<std::size_t>(random.UniformInt(0, i))]);
  }
  return shuffled;
}

}  // namespace instantgp::testing

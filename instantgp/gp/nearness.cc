#include "instantgp/gp/nearness.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace instantgp {
namespace {

struct Part {
  Nearness terms;
  double variance = 1;
};

void Add(Nearness& terms, const ColumnNearness& term, double share) {
  const auto same = std::find_if(terms.begin(), terms.end(), [&](const ColumnNearness& t) {
    return t.column == term.column && t.period == term.period;
  });
  if (same != terms.end()) {
    same->weight += share * term.weight;
  } else {
    terms.push_back({term.column, share * term.weight, term.period});
  }
}

Part OfLeaf(const Expression& leaf, const double* log_p) {
  const double variance = std::exp(log_p[0]);
  const double second = ParametersOf(leaf.symbol).size() > 1 ? log_p[1] : 0;
  const double half_precision = 0.5 * std::exp(-2 * second);
  switch (leaf.symbol) {
    case Elementary::kSE:
    case Elementary::kMAT12:
      return {{{leaf.column, half_precision, 0}}, variance};
    case Elementary::kMAT52:
      return {{{leaf.column, half_precision * 5 / 3, 0}}, variance};
    case Elementary::kPER:
      return {{{leaf.column, half_precision, std::exp(log_p[2])}}, variance};
    case Elementary::kLIN:
      return {{}, variance / 3 + std::exp(second)};  // the mean over [0, 1]
    case Elementary::kWIE:
    case Elementary::kIOU:
    case Elementary::kBIAS:
      return {{}, variance};
  }
  return {};
}

// `next` is where the parameters of the expression begin, and then where they end.
Part Of(const Expression& e, const double*& next) {
  if (e.op == Expression::Op::kLeaf) {
    const double* own = next;
    next += ParametersOf(e.symbol).size();
    return OfLeaf(e, own);
  }
  std::vector<Part> parts;
  for (const Expression& term : e.terms) parts.push_back(Of(term, next));
  Part all;
  if (e.op == Expression::Op::kProduct) {
    for (const Part& part : parts) {
      all.variance *= part.variance;
      for (const ColumnNearness& term : part.terms) Add(all.terms, term, 1);
    }
    return all;
  }
  all.variance = 0;
  for (const Part& part : parts) all.variance += part.variance;
  for (const Part& part : parts) {
    const double share = all.variance > 0 ? part.variance / all.variance : 1.0 / static_cast<double>(parts.size());
    for (const ColumnNearness& term : part.terms) Add(all.terms, term, share);
  }
  return all;
}

}  // namespace

Nearness NearnessOf(const Expression& expression, const double* log_parameters) {
  const double* next = log_parameters;
  Nearness terms = Of(expression, next).terms;
  std::erase_if(terms, [](const ColumnNearness& t) { return !(t.weight > 0) || !std::isfinite(t.weight); });
  std::stable_sort(terms.begin(), terms.end(),
                   [](const ColumnNearness& a, const ColumnNearness& b) { return a.weight > b.weight; });
  return terms;
}

}  // namespace instantgp

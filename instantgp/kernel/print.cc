// Expression to text.
#include <algorithm>
#include <charconv>

#include "instantgp/base/check.h"
#include "instantgp/kernel/column_text.h"
#include "instantgp/kernel/expression.h"
#include "instantgp/kernel/print_lengths.h"

namespace instantgp {
namespace {

using Op = Expression::Op;

// The shortest text that reads back as the same number.
std::string Shortest(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return std::string(text, end);
}

// Products of single symbols are written tight, SE*LIN; around a parenthesis the star has room, SE * (LIN + PER).
void Write(const Expression& e, const std::vector<std::string>& names, const LengthPrinter& length, std::string& text) {
  if (e.op == Op::kLeaf) {
    text += Name(e.symbol);
    std::string inside = e.column != Expression::kEveryColumn ? ColumnText(e.column, names) : "";
    for (const FixedParameter& fixed : e.fixed) {
      if (!inside.empty()) inside += ", ";
      // PER's lengthscale is measured on the sine and has no unit.
      const bool is_length = fixed.kind == ParameterKind::kPeriod ||
                             (fixed.kind == ParameterKind::kLengthscale && e.symbol != Elementary::kPER);
      const std::string words = is_length && length ? length(e.column, fixed.value) : "";
      inside += std::string(Name(fixed.kind)) + "=" + (words.empty() ? Shortest(fixed.value) : words);
    }
    if (!inside.empty()) text += '(' + inside + ')';
    return;
  }
  const bool has_sum =
      std::any_of(e.terms.begin(), e.terms.end(), [](const Expression& term) { return term.op == Op::kSum; });
  const char* separator = e.op == Op::kSum ? " + " : has_sum ? " * " : "*";
  for (std::size_t i = 0; i < e.terms.size(); ++i) {
    const bool parenthesis = e.op == Op::kProduct && e.terms[i].op == Op::kSum;
    if (i > 0) text += separator;
    if (parenthesis) text += '(';
    Write(e.terms[i], names, length, text);
    if (parenthesis) text += ')';
  }
}

Expression OnColumn(const Expression& e, int column) {
  Expression moved = e;
  if (moved.op == Op::kLeaf) moved.column = column;
  for (Expression& term : moved.terms) term = OnColumn(term, column);
  return moved;
}

// What stands on the first column in a canonical product over all d columns, if every column carries the same.
bool CommonFactor(const Expression& e, int d, Expression& common) {
  if (d == 1) {
    common = e;
    return true;
  }
  if (e.op != Op::kProduct) return false;
  std::vector<Expression> first;
  for (const Expression& term : e.terms) {
    if (ColumnsOf(term) == std::vector<int>{0}) first.push_back(term);
  }
  if (first.empty() || first.size() * static_cast<std::size_t>(d) != e.terms.size()) return false;
  common = Expression::Product(first);
  std::vector<Expression> spread;
  for (int k = 0; k < d; ++k) spread.push_back(OnColumn(common, k));
  return Canonical(Expression::Product(spread)) == e;
}

}  // namespace

std::string Print(const Expression& expression, const std::vector<std::string>& column_names,
                  const LengthPrinter& length) {
  std::string text;
  Write(Canonical(expression), column_names, length, text);
  return text;
}

std::string PrintShort(const Expression& expression, const std::vector<std::string>& column_names,
                       const LengthPrinter& length) {
  const Expression canonical = Canonical(expression);
  Expression common;
  if (!CommonFactor(canonical, static_cast<int>(column_names.size()), common))
    return Print(canonical, column_names, length);
  return Print(OnColumn(common, Expression::kEveryColumn), column_names, length);
}

std::string Print(const Expression& expression, const std::vector<std::string>& column_names) {
  return Print(expression, column_names, nullptr);
}

std::string PrintShort(const Expression& expression, const std::vector<std::string>& column_names) {
  return PrintShort(expression, column_names, nullptr);
}

}  // namespace instantgp

#include "instantgp/kernel/parse.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>
#include <utility>

#include "instantgp/base/diagnosis.h"
#include "instantgp/base/error.h"
#include "instantgp/base/from_chars.h"
#include "instantgp/kernel/column_text.h"
#include "instantgp/kernel/spoken.h"

namespace instantgp {
namespace {

constexpr int kMaxDepth = 200;              // of parentheses: the parser and every walk over the tree recurse
constexpr int kMaxLeaves = 4096;            // after the shorthand is spread over the columns
constexpr std::size_t kMaxText = 1U << 20;  // bytes

struct Spelling {
  const char* text;
  Elementary symbol;
};
constexpr std::array<Spelling, 21> kSpellings = {
    {{"SE", Elementary::kSE},           {"LIN", Elementary::kLIN},
     {"PER", Elementary::kPER},         {"MAT52", Elementary::kMAT52},
     {"MAT12", Elementary::kMAT12},     {"WIE", Elementary::kWIE},
     {"IOU", Elementary::kIOU},         {"BIAS", Elementary::kBIAS},
     {"RBF", Elementary::kSE},          {"Linear", Elementary::kLIN},
     {"Periodic", Elementary::kPER},    {"Matern52", Elementary::kMAT52},
     {"M52", Elementary::kMAT52},       {"Matern12", Elementary::kMAT12},
     {"M12", Elementary::kMAT12},       {"Exponential", Elementary::kMAT12},
     {"Wiener", Elementary::kWIE},      {"RandomWalk", Elementary::kWIE},
     {"DampedTrend", Elementary::kIOU}, {"Constant", Elementary::kBIAS},
     {"Const", Elementary::kBIAS}}};
constexpr const char* kSymbolList =
    "The symbols are SE, LIN, PER, MAT52, MAT12, WIE, IOU and BIAS (also RBF, Linear, Periodic, Matern52, M52, "
    "Matern12, M12, Exponential, Wiener, RandomWalk, DampedTrend, Constant).";

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool IsDecimalDigit(char c) { return c >= '0' && c <= '9'; }
// Bytes above ASCII count as letters, so that a word is never cut inside a character.
bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDecimalDigit(c) || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool EndsBareColumn(char c) {
  return c == '(' || c == ')' || c == '+' || c == '*' || c == ',' || c == '"' || c == '\'';
}

std::optional<Elementary> SymbolOf(std::string_view word) {
  for (const Spelling& spelling : kSpellings) {
    if (word.size() == std::string_view(spelling.text).size() && EditDistance(word, spelling.text) == 0) {
      return spelling.symbol;
    }
  }
  return std::nullopt;
}

std::string ListOfColumns(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 12;
  std::string list = names.size() == 1 ? "The only column is " : "The columns are ";
  for (std::size_t k = 0; k < std::min(names.size(), kShown); ++k) {
    if (k > 0) list += ", ";
    list += ColumnText(static_cast<int>(k), names);
  }
  if (names.size() > kShown) list += " and " + std::to_string(names.size() - kShown) + " more";
  return OneLine(list) + ".";
}

class Parser {
 public:
  Parser(std::string_view text, const std::vector<std::string>& names) : text_(text), names_(names) {}
  Parser(std::string_view text, const std::vector<std::string>& names, const std::vector<SpokenColumn>& spoken)
      : text_(text), names_(names), spoken_(&spoken) {}

  Expression Run() {
    if (names_.empty()) Fail(0, "there is no column to act on", "The data need at least one input column.");
    SkipSpace();
    if (AtEnd()) Fail(0, "the kernel expression is empty", "Write for example SE + LIN*PER.");
    Expression e = Sum();
    if (!AtEnd()) FailBetween();
    if (named_ && unnamed_ && NumSpread() > 1) {
      Fail(*unnamed_, "this symbol names no column, but another symbol does",
           "Name a column for every symbol, or for none: without columns the expression applies to every column. " +
               ListOfColumns(names_));
    }
    if (spoken_ != nullptr) {
      Expression on_inputs = OnInputs(std::move(e), named_, *spoken_);
      if (NumLeaves(on_inputs) > kMaxLeaves) FailTooLarge(0);
      return on_inputs;
    }
    return named_ || names_.size() == 1 ? Bind(std::move(e)) : Spread(e);
  }

 private:
  // Columns that a kernel without names is spread over.
  std::size_t NumSpread() const {
    if (spoken_ == nullptr) return names_.size();
    return static_cast<std::size_t>(
        std::count_if(spoken_->begin(), spoken_->end(), [](const SpokenColumn& column) { return column.spread; }));
  }

  Expression Sum() {
    std::vector<Expression> terms;
    terms.push_back(Product());
    while (Take('+')) terms.push_back(Product());
    return terms.size() == 1 ? std::move(terms.front()) : Expression::Sum(std::move(terms));
  }

  Expression Product() {
    std::vector<Expression> terms;
    terms.push_back(Factor());
    while (Take('*')) terms.push_back(Factor());
    return terms.size() == 1 ? std::move(terms.front()) : Expression::Product(std::move(terms));
  }

  Expression Factor() {
    SkipSpace();
    const std::size_t begin = position_;
    if (Take('(')) {
      if (++depth_ > kMaxDepth) {
        Fail(begin, "more than " + std::to_string(kMaxDepth) + " nested parentheses", "Simplify the expression.",
             ErrorCode::kLimit);
      }
      Expression e = Sum();
      if (AtEnd()) Fail(begin, "this parenthesis is never closed", "Add a closing \")\".");
      if (!Take(')')) FailBetween();
      --depth_;
      return e;
    }
    return Leaf();
  }

  Expression Leaf() {
    const std::size_t begin = position_;
    while (!AtEnd() && IsWord(text_[position_])) ++position_;
    const std::string_view word = text_.substr(begin, position_ - begin);
    const std::optional<Elementary> symbol = SymbolOf(word);
    if (!symbol) FailAtSymbol(begin, word);
    if (++leaves_ > kMaxLeaves) FailTooLarge(begin);
    SkipSpace();
    Expression leaf = Expression::Leaf(*symbol, Expression::kEveryColumn);
    if (!AtEnd() && text_[position_] == '(') Arguments(word, leaf);
    if (leaf.column != Expression::kEveryColumn) {
      CheckCategory(leaf, begin);
      named_ = true;
    } else if (!unnamed_ && *symbol != Elementary::kBIAS) {
      unnamed_ = begin;
    }
    return leaf;
  }

  // "(" argument { "," argument } ")"
  void Arguments(std::string_view word, Expression& leaf) {
    const std::size_t open = position_++;
    SkipSpace();
    if (!IsAssignment()) leaf.column = ColumnArgument(word, open);
    while (!AtEnd() && text_[position_] != ')') {
      if (text_[position_] == ',') ++position_;
      SkipSpace();
      leaf.fixed.push_back(Assignment(leaf));
    }
    if (AtEnd()) Fail(open, "this parenthesis is never closed", "Add a closing \")\".");
    ++position_;
    SkipSpace();
  }

  // Whether what follows reads parameter = number. A column may be called that, too, and then comes first.
  bool IsAssignment() {
    const std::size_t begin = position_;
    if (AtEnd() || text_[position_] == '"' || text_[position_] == '\'') return false;
    const std::string bare = BareColumn();
    position_ = begin;
    return bare.find('=') != std::string::npos && FindColumn(bare, false, names_).result != Lookup::kFound;
  }

  FixedParameter Assignment(const Expression& leaf) {
    const std::size_t begin = position_;
    const std::string bare = BareColumn();
    if (!AtEnd() && text_[position_] != ',' && text_[position_] != ')') {
      // 1e+5 ends a bare column in the middle
      while (!AtEnd() && text_[position_] != ',' && text_[position_] != ')') ++position_;
    }
    const std::string_view text = Trimmed(text_.substr(begin, position_ - begin));
    const std::size_t equals = text.find('=');
    const auto kinds = ParametersOf(leaf.symbol);
    std::string own;
    for (const ParameterKind kind : kinds) own += (own.empty() ? "" : ", ") + std::string(Name(kind));
    if (equals == std::string_view::npos) {
      const std::string each(Name(leaf.symbol));
      Fail(begin, "a symbol acts on one column only",
           "Write " + each + "(a)*" + each +
               "(b) for two columns. A parameter is fixed by its name and a number, as in " + each + "(" +
               std::string(Name(kinds.front())) + "=1).");
    }
    const std::string_view name = Trimmed(text.substr(0, equals)), number = Trimmed(text.substr(equals + 1));
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&](ParameterKind kind) {
      return name.size() == Name(kind).size() && EditDistance(name, Name(kind)) == 0;
    });
    if (found == kinds.end()) {
      Fail(begin, std::string(Name(leaf.symbol)) + " has no parameter \"" + OneLine(name) + "\"",
           "Its parameters are " + own + ".");
    }
    for (const FixedParameter& other : leaf.fixed) {
      if (other.kind == *found) Fail(begin, std::string(Name(*found)) + " is fixed twice", "Keep one of the two.");
    }
    double value = 0;
    const auto [end, error] = FromChars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size()) value = LengthInWords(leaf, *found, number);
    if (!(value > 0) || !std::isfinite(value)) {
      Fail(begin, "\"" + OneLine(number) + "\" is no value for the " + std::string(Name(*found)),
           "Parameters are positive numbers, with a point for decimals, in the units of the table" +
               std::string(HasLengths(leaf) ? ", or a length of time such as 12 months." : "."));
    }
    return {*found, value};
  }

  // Whether the leaf's lengths may be said in words: "12 months" on a column of dates.
  bool HasLengths(const Expression& leaf) const {
    return spoken_ != nullptr && LengthColumn(leaf.column, *spoken_) != nullptr;
  }

  // 0: it is none.
  double LengthInWords(const Expression& leaf, ParameterKind kind, std::string_view text) const {
    // PER's lengthscale is measured on the sine and has no unit.
    const bool is_length =
        kind == ParameterKind::kPeriod || (kind == ParameterKind::kLengthscale && leaf.symbol != Elementary::kPER);
    if (!HasLengths(leaf) || !is_length) return 0;
    try {
      return LengthColumn(leaf.column, *spoken_)->length(text);
    } catch (const Error&) {
      return 0;  // said with the place in the kernel
    }
  }

  void CheckCategory(const Expression& leaf, std::size_t begin) const {
    if (spoken_ == nullptr || !(*spoken_)[static_cast<std::size_t>(leaf.column)].category) return;
    for (const Elementary allowed : {Elementary::kSE, Elementary::kMAT52, Elementary::kMAT12, Elementary::kBIAS}) {
      if (leaf.symbol == allowed) return;
    }
    const std::string name = ColumnText(leaf.column, names_);
    Fail(begin, "the column " + OneLine(name) + " holds categories, which are equal or different and have no order",
         "Write SE(" + OneLine(name) + ").");
  }

  static std::string_view Trimmed(std::string_view text) {
    while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
    while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
    return text;
  }

  // A column, up to "," or ")".
  int ColumnArgument(std::string_view symbol, std::size_t open) {
    const std::size_t begin = position_;
    const bool quoted = !AtEnd() && (text_[position_] == '"' || text_[position_] == '\'');
    const std::string name = quoted ? QuotedColumn() : BareColumn();
    SkipSpace();
    if (AtEnd()) Fail(open, "this parenthesis is never closed", "Add a closing \")\".");
    if (text_[position_] == ',' && !AssignmentFollows()) {
      const std::string each(symbol);
      Fail(position_, "a symbol acts on one column only", "Write " + each + "(a)*" + each + "(b) for two columns.");
    }
    if (name.empty() && !quoted) {
      Fail(position_, "expected a column here",
           "Write its name, its quoted name or its number, as in SE(1); or leave out the parentheses. " +
               ListOfColumns(names_));
    }
    if (text_[position_] != ')' && text_[position_] != ',') {
      Fail(position_, "expected \")\" after the column", "A column's name with such characters must be quoted.");
    }
    const ColumnLookup lookup = FindColumn(name, quoted, names_);
    if (lookup.result != Lookup::kFound) FailAtColumn(begin, name, quoted, lookup.result);
    return lookup.column;
  }

  // At a comma: whether parameter = number stands behind it.
  bool AssignmentFollows() {
    const std::size_t comma = position_++;
    SkipSpace();
    const bool follows = IsAssignment();
    position_ = comma;
    return follows;
  }

  std::string BareColumn() {
    const std::size_t begin = position_;
    while (!AtEnd() && !EndsBareColumn(text_[position_])) ++position_;
    std::string_view name = text_.substr(begin, position_ - begin);
    while (!name.empty() && IsSpace(name.back())) name.remove_suffix(1);
    return std::string(name);
  }

  std::string QuotedColumn() {
    const std::size_t begin = position_;
    const char quote = text_[position_++];
    std::string name;
    for (; !AtEnd() && text_[position_] != quote; ++position_) {
      if (text_[position_] != '\\') {
        name += text_[position_];
        continue;
      }
      const std::size_t escape = position_++;
      constexpr std::string_view kEscapes = "\\\"'nrt", kMeaning = "\\\"'\n\r\t";
      const std::size_t which = AtEnd() ? std::string_view::npos : kEscapes.find(text_[position_]);
      if (which == std::string_view::npos) {
        Fail(escape, "unknown escape inside a quoted name",
             "After a backslash stand \\ \" ' n r or t; write \\\\ for a backslash.");
      }
      name += kMeaning[which];
    }
    if (AtEnd()) Fail(begin, "this quote is never closed", std::string("Add a closing ") + quote + " after the name.");
    ++position_;
    return name;
  }

  // Every leaf without a column gets the only one there is.
  Expression Bind(Expression e) const {
    if (e.op == Expression::Op::kLeaf && e.column == Expression::kEveryColumn) e.column = 0;
    for (Expression& term : e.terms) term = Bind(std::move(term));
    return e;
  }

  Expression Spread(const Expression& e) const {
    if (static_cast<std::size_t>(leaves_) * names_.size() > kMaxLeaves) FailTooLarge(0);
    std::vector<Expression> factors;
    for (std::size_t k = 0; k < names_.size(); ++k) factors.push_back(OnColumn(e, static_cast<int>(k)));
    return Expression::Product(std::move(factors));
  }

  static Expression OnColumn(Expression e, int column) {
    if (e.op == Expression::Op::kLeaf) e.column = column;
    for (Expression& term : e.terms) term = OnColumn(std::move(term), column);
    return e;
  }

  [[noreturn]] void Fail(std::size_t position, const std::string& what, const std::string& hint,
                         ErrorCode code = ErrorCode::kBadInput) const {
    throw Error(code, "kernel expression: " + what + "\n" + TextWithCaret(text_, position) + hint);
  }

  [[noreturn]] void FailTooLarge(std::size_t position) const {
    Fail(position, "more than " + std::to_string(kMaxLeaves) + " symbols, counted on every column",
         "Use fewer symbols or fewer columns.", ErrorCode::kLimit);
  }

  // A symbol was expected.
  [[noreturn]] void FailAtSymbol(std::size_t begin, std::string_view word) const {
    if (word.empty()) {
      if (begin >= text_.size()) Fail(begin, "the expression ends where a symbol must follow", kSymbolList);
      Fail(begin, "expected a symbol or \"(\" here", kSymbolList);
    }
    if (IsDecimalDigit(word.front())) {
      Fail(begin, "a number is not allowed here",
           std::string("Every symbol has a variance of its own. ") + kSymbolList);
    }
    const std::string shown = OneLine(word);
    if (FindColumn(word, true, names_).result == Lookup::kFound) {
      Fail(begin, "\"" + shown + "\" is a column, not a symbol", "Write for example SE(" + shown + "). " + kSymbolList);
    }
    std::vector<std::string> spellings;
    for (const Spelling& spelling : kSpellings) spellings.emplace_back(spelling.text);
    const std::string nearest = Nearest(word, spellings);
    Fail(begin, "unknown symbol \"" + shown + "\"",
         (nearest.empty() ? "" : "Did you mean " + nearest + "? ") + kSymbolList);
  }

  // "+", "*" or ")" was expected after a factor.
  [[noreturn]] void FailBetween() const {
    const char c = text_[position_];
    if (c == ')') Fail(position_, "this parenthesis was never opened", "Remove it or add an opening \"(\".");
    if (c == '^') Fail(position_, "powers are not supported", "Write a product, as in SE*SE.");
    Fail(position_, "expected \"+\" or \"*\" here", "Kernels are combined by + and * only.");
  }

  [[noreturn]] void FailAtColumn(std::size_t begin, const std::string& name, bool quoted, Lookup result) const {
    const std::string shown = OneLine(QuotedName(name));
    const std::string list = ListOfColumns(names_);
    if (result == Lookup::kAmbiguous) {
      Fail(begin, "several columns are called " + shown, "Use its number instead. " + list);
    }
    if (result == Lookup::kOutOfRange) {
      Fail(begin, "there is no column " + OneLine(name),
           "Columns are counted from 1 to " + std::to_string(names_.size()) + ". " + list);
    }
    if (!quoted && SymbolOf(name)) {
      Fail(begin, "expected a column here, found the symbol " + OneLine(name),
           "For a product write * before the parenthesis. " + list);
    }
    const std::string nearest = Nearest(name, names_);
    Fail(begin, "unknown column " + shown,
         (nearest.empty() ? "" : "Did you mean " + OneLine(QuotedName(nearest)) + "? ") + list);
  }

  bool AtEnd() const { return position_ >= text_.size(); }
  void SkipSpace() {
    while (!AtEnd() && IsSpace(text_[position_])) ++position_;
  }
  bool Take(char c) {
    SkipSpace();
    if (AtEnd() || text_[position_] != c) return false;
    ++position_;
    SkipSpace();
    return true;
  }

  std::string_view text_;
  const std::vector<std::string>& names_;
  const std::vector<SpokenColumn>* spoken_ = nullptr;  // by the same index; null: names are those of the inputs
  std::size_t position_ = 0;
  int depth_ = 0;
  int leaves_ = 0;
  bool named_ = false;                  // some symbol names a column
  std::optional<std::size_t> unnamed_;  // where the first symbol without a column stands
};

void CheckLength(std::string_view text) {
  if (text.size() <= kMaxText) return;
  throw Error(ErrorCode::kLimit, "kernel expression: the text has " + std::to_string(text.size()) +
                                     " bytes, more than the limit of " + std::to_string(kMaxText) + ".");
}

}  // namespace

Expression ParseKernel(std::string_view text, const std::vector<std::string>& column_names) {
  CheckLength(text);
  return Canonical(Parser(text, column_names).Run());
}

Expression ParseSpokenKernel(std::string_view text, const std::vector<SpokenColumn>& columns) {
  CheckLength(text);
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const SpokenColumn& column : columns) names.push_back(column.name);
  return Canonical(Parser(text, names, columns).Run());
}

}  // namespace instantgp

// Canonical form, printing and the round trip through text.
#include "instantgp/kernel/expression.h"

#include <gtest/gtest.h>

#include "instantgp/kernel/parse.h"
#include "tests/support/random_kernels.h"

namespace instantgp {
namespace {

using testing::RandomExpression;
using testing::Shuffled;

constexpr int kRandomCases = 10000;

Expression Leaf(Elementary symbol, int column) { return Expression::Leaf(symbol, column); }

// Names that collide with symbols, numbers, indices, operators, quotes, blanks and other scripts.
const std::vector<std::string>& AwkwardNames() {
  static const std::vector<std::string> kNames = {
      "x1",    "month", "SE",    "2",           "1.5",       "wind speed (m/s)",
      "größe", "a\"b",  "it's",  "back\\slash", "line\nend", " padded ",
      "",      "x3",    "a+b*c", "温度",        "tab\t",     "x2",
      "-1",    "a,b"};
  return kNames;
}

std::vector<std::string> RandomNames(RandomStream& random, int d) {
  std::vector<std::string> names = AwkwardNames();
  for (int i = 0; i < d; ++i) std::swap(names[i], names[random.UniformInt(i, static_cast<int>(names.size()) - 1)]);
  names.resize(d);
  return names;
}

TEST(CanonicalTest, FlattensUnwrapsAndSorts) {
  const Expression a = Leaf(Elementary::kLIN, 0), b = Leaf(Elementary::kSE, 0), c = Leaf(Elementary::kPER, 1);
  const Expression nested = Expression::Sum({Expression::Sum({c, Expression::Product({a})}), b});
  EXPECT_EQ(Canonical(nested), Expression::Sum({b, a, c}));
  EXPECT_EQ(Canonical(Expression::Product({Expression::Sum({a}), Expression::Product({b, c})})),
            Expression::Product({b, a, c}));
}

TEST(CanonicalTest, NeverDistributes) {
  const Expression shared = Expression::Product(
      {Expression::Sum({Leaf(Elementary::kSE, 0), Leaf(Elementary::kLIN, 0)}), Leaf(Elementary::kPER, 0)});
  EXPECT_EQ(NumLeaves(Canonical(shared)), 3);
}

TEST(CanonicalTest, IsIdempotentAndBlindToOrder) {
  RandomStream random(1);
  for (int i = 0; i < kRandomCases; ++i) {
    const Expression e = RandomExpression(random, random.UniformInt(1, 4), 4);
    const Expression canonical = Canonical(e);
    ASSERT_EQ(Canonical(canonical), canonical);
    ASSERT_EQ(Canonical(Shuffled(e, random)), canonical);
    ASSERT_EQ(NumLeaves(canonical), NumLeaves(e));
    ASSERT_EQ(ColumnsOf(canonical), ColumnsOf(e));
  }
}

TEST(PrintTest, WritesTheDocumentedForm) {
  const auto names = DefaultColumnNames(2);
  EXPECT_EQ(names, (std::vector<std::string>{"x1", "x2"}));
  const Expression e = ParseKernel("per(x2) * (lin(x1)*se(x1) + se(x1))", names);
  EXPECT_EQ(Print(e, names), "(SE(x1) + SE(x1)*LIN(x1)) * PER(x2)");
  EXPECT_EQ(PrintShort(e, names), Print(e, names));
}

TEST(PrintTest, QuotesWhatIsNotAnIdentifier) {
  const std::vector<std::string> names = {"wind speed", "2", "a\"b\\c\nd", "_ok9"};
  EXPECT_EQ(Print(Leaf(Elementary::kSE, 0), names), "SE(\"wind speed\")");
  EXPECT_EQ(Print(Leaf(Elementary::kSE, 1), names), "SE(\"2\")");
  EXPECT_EQ(Print(Leaf(Elementary::kSE, 2), names), "SE(\"a\\\"b\\\\c\\nd\")");
  EXPECT_EQ(Print(Leaf(Elementary::kSE, 3), names), "SE(_ok9)");
}

TEST(PrintTest, NumbersColumnsThatShareAName) {
  const std::vector<std::string> names = {"a", "b", "a"};
  EXPECT_EQ(Print(Leaf(Elementary::kSE, 2), names), "SE(3)");
  EXPECT_EQ(ParseKernel("SE(3)", names), Leaf(Elementary::kSE, 2));
  const std::vector<std::string> taken = {"a", "1", "a"};
  EXPECT_EQ(ParseKernel(Print(Leaf(Elementary::kSE, 0), taken), taken), Leaf(Elementary::kSE, 0));
}

TEST(PrintTest, ParsesBackToTheSameExpression) {
  RandomStream random(2);
  for (int i = 0; i < kRandomCases; ++i) {
    const int d = random.UniformInt(1, 6);
    const auto names = RandomNames(random, d);
    const Expression e = RandomExpression(random, d, random.UniformInt(0, 5));
    const std::string text = Print(e, names);
    ASSERT_EQ(text.find('\n'), std::string::npos);
    ASSERT_EQ(ParseKernel(text, names), Canonical(e)) << text;
    ASSERT_EQ(Print(ParseKernel(text, names), names), text);
    const std::string short_text = PrintShort(e, names);
    ASSERT_EQ(ParseKernel(short_text, names), Canonical(e)) << short_text;
    ASSERT_LE(short_text.size(), text.size());
  }
}

// Spreads a random one-column kernel over all columns: PrintShort must find the shorthand again.
TEST(PrintTest, ShortFormIsFoundWhenEveryColumnCarriesTheSame) {
  RandomStream random(3);
  for (int i = 0; i < kRandomCases; ++i) {
    const int d = random.UniformInt(1, 5);
    const auto names = RandomNames(random, d);
    const Expression one = RandomExpression(random, 1, 3);
    const std::string shorthand = PrintShort(one, {"x1"});
    ASSERT_EQ(shorthand.find("x1"), std::string::npos);
    const Expression e = ParseKernel(shorthand, names);
    ASSERT_EQ(NumLeaves(e), d * NumLeaves(one));
    ASSERT_EQ(PrintShort(e, names), shorthand);
    ASSERT_EQ(ParseKernel(Print(e, names), names), e);
  }
}

TEST(PrintTest, ShortFormNeedsEveryColumn) {
  const auto names = DefaultColumnNames(3);
  EXPECT_EQ(PrintShort(ParseKernel("SE(1)*SE(2)", names), names), "SE(x1)*SE(x2)");
  EXPECT_EQ(PrintShort(ParseKernel("SE(1)+SE(2)+SE(3)", names), names), "SE(x1) + SE(x2) + SE(x3)");
  EXPECT_EQ(PrintShort(ParseKernel("SE(1)*SE(2)*LIN(3)", names), names), "SE(x1)*SE(x2)*LIN(x3)");
}

}  // namespace
}  // namespace instantgp

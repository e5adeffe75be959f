// Reading kernel expressions: what is accepted, and that what is not is an Error at the right place.
#include "instantgp/kernel/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <optional>
#include <sstream>

#include "instantgp/base/error.h"
#include "tests/support/random_kernels.h"

namespace instantgp {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kTwo = {"x1", "month"};

Expression LeafOn(Elementary symbol, int column) { return Expression::Leaf(symbol, column); }

struct Failure {
  ErrorCode code;
  std::string message, text, caret;  // whole message; its second and third line
};

std::optional<Failure> FailureOf(std::string_view text, const std::vector<std::string>& names) {
  try {
    ParseKernel(text, names);
    return std::nullopt;
  } catch (const Error& error) {
    Failure failure{error.code(), error.what(), "", ""};
    std::istringstream lines(error.what());
    std::string first;
    std::getline(lines, first);
    std::getline(lines, failure.text);
    std::getline(lines, failure.caret);
    return failure;
  }
}

TEST(ParseTest, KnowsEverySymbolAndAliasInAnyCase) {
  const std::vector<std::pair<std::string, Elementary>> spellings = {{"SE", Elementary::kSE},
                                                                     {"RBF", Elementary::kSE},
                                                                     {"LIN", Elementary::kLIN},
                                                                     {"Linear", Elementary::kLIN},
                                                                     {"PER", Elementary::kPER},
                                                                     {"Periodic", Elementary::kPER},
                                                                     {"MAT52", Elementary::kMAT52},
                                                                     {"Matern52", Elementary::kMAT52},
                                                                     {"M52", Elementary::kMAT52},
                                                                     {"MAT12", Elementary::kMAT12},
                                                                     {"Matern12", Elementary::kMAT12},
                                                                     {"M12", Elementary::kMAT12},
                                                                     {"Exponential", Elementary::kMAT12},
                                                                     {"WIE", Elementary::kWIE},
                                                                     {"Wiener", Elementary::kWIE},
                                                                     {"RandomWalk", Elementary::kWIE},
                                                                     {"IOU", Elementary::kIOU},
                                                                     {"DampedTrend", Elementary::kIOU},
                                                                     {"BIAS", Elementary::kBIAS},
                                                                     {"Constant", Elementary::kBIAS},
                                                                     {"Const", Elementary::kBIAS}};
  for (const auto& [spelling, symbol] : spellings) {
    for (int mask = 0; mask < 4; ++mask) {
      std::string text = spelling;
      for (std::size_t i = 0; i < text.size(); ++i) {
        const bool upper = mask == 0 || (mask == 2 && i % 2 == 0) || (mask == 3 && i == 0);
        const auto c = static_cast<unsigned char>(text[i]);
        text[i] = static_cast<char>(upper ? std::toupper(c) : std::tolower(c));
      }
      EXPECT_EQ(ParseKernel(text, {"x1"}), LeafOn(symbol, 0)) << text;
      EXPECT_EQ(ParseKernel(text + "(month)", kTwo), LeafOn(symbol, 1)) << text;
    }
  }
}

TEST(ParseTest, ProductsBindTighterThanSumsAndBlanksDoNotMatter) {
  const Expression expected = Expression::Sum(
      {LeafOn(Elementary::kSE, 0), Expression::Product({LeafOn(Elementary::kLIN, 0), LeafOn(Elementary::kPER, 0)})});
  EXPECT_EQ(ParseKernel("SE(x1)+LIN(x1)*PER(x1)", kTwo), expected);
  EXPECT_EQ(ParseKernel("\t PER ( x1 )\n*\r LIN( x1)  +((SE(x1 ))) ", kTwo), expected);
  EXPECT_NE(ParseKernel("(SE(x1)+LIN(x1))*PER(x1)", kTwo), expected);
}

TEST(ParseTest, ShorthandStandsOnEveryColumn) {
  const Expression sum0 = Expression::Sum({LeafOn(Elementary::kSE, 0), LeafOn(Elementary::kLIN, 0)});
  const Expression sum1 = Expression::Sum({LeafOn(Elementary::kSE, 1), LeafOn(Elementary::kLIN, 1)});
  EXPECT_EQ(ParseKernel("LIN + SE", kTwo), Expression::Product({sum0, sum1}));
  EXPECT_EQ(ParseKernel("SE", kTwo), Expression::Product({LeafOn(Elementary::kSE, 0), LeafOn(Elementary::kSE, 1)}));
}

TEST(ParseTest, OneColumnMayBeNamedOrNot) {
  EXPECT_EQ(ParseKernel("SE + LIN(t)", {"t"}), ParseKernel("SE + LIN", {"t"}));
}

TEST(ParseTest, ColumnsResolveByNameThenIndexThenX) {
  const std::vector<std::string> names = {"a", "1", "x1", "X4"};
  EXPECT_EQ(ParseKernel("SE(1)", names), LeafOn(Elementary::kSE, 1));  // the column called 1
  EXPECT_EQ(ParseKernel("SE(2)", names), LeafOn(Elementary::kSE, 1));  // the second
  EXPECT_EQ(ParseKernel("SE(x1)", names), LeafOn(Elementary::kSE, 2));
  EXPECT_EQ(ParseKernel("SE(x2)", names), LeafOn(Elementary::kSE, 1));
  EXPECT_EQ(ParseKernel("SE(X4)", names), LeafOn(Elementary::kSE, 3));
  EXPECT_EQ(ParseKernel("SE(\"1\")", names), LeafOn(Elementary::kSE, 1));
  EXPECT_EQ(ParseKernel("SE('a')", names), LeafOn(Elementary::kSE, 0));
}

TEST(ParseTest, BareNamesMayHoldWhatDoesNotEndThem) {
  const std::vector<std::string> names = {"fixed acidity", "temp-°C", "a.b"};
  EXPECT_EQ(ParseKernel("SE( fixed acidity )", names), LeafOn(Elementary::kSE, 0));
  EXPECT_EQ(ParseKernel("SE(temp-°C)", names), LeafOn(Elementary::kSE, 1));
  EXPECT_EQ(ParseKernel("SE(a.b)", names), LeafOn(Elementary::kSE, 2));
}

// A caret mark "^" in the second string stands under the first; the third must occur in the message.
struct Malformed {
  const char* text;
  const char* caret;
  const char* message;
};

class MalformedTest : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedTest, PointsAtThePlaceAndSuggests) {
  const auto failure = FailureOf(GetParam().text, kTwo);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->code, ErrorCode::kBadInput);
  EXPECT_EQ(failure->text, std::string("  ") + GetParam().text);
  EXPECT_EQ(failure->caret, std::string("  ") + GetParam().caret);
  EXPECT_THAT(failure->message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(All, MalformedTest,
                         ::testing::Values(Malformed{"", "^", "empty"},                                               //
                                           Malformed{"   ", "^", "empty"},                                            //
                                           Malformed{"SEE", "^", "Did you mean SE?"},                                 //
                                           Malformed{"SE + LINE", "     ^", "Did you mean LIN?"},                     //
                                           Malformed{"Mattern52(1)", "^", "Did you mean Matern52?"},                  //
                                           Malformed{"foo", "^", "The symbols are SE, LIN, PER, MAT52, MAT12, WIE"},  //
                                           Malformed{"month", "^", "\"month\" is a column, not a symbol"},            //
                                           Malformed{"SE(", "  ^", "never closed"},                                   //
                                           Malformed{"SE(x1", "  ^", "never closed"},                                 //
                                           Malformed{"LIN*(SE + PER", "    ^", "never closed"},                       //
                                           Malformed{"((SE)", "^", "never closed"},                                   //
                                           Malformed{"SE)", "  ^", "never opened"},                                   //
                                           Malformed{"(SE))*LIN", "    ^", "never opened"},                           //
                                           Malformed{"()", " ^", "expected a symbol"},                                //
                                           Malformed{"SE()", "   ^", "expected a column"},                            //
                                           Malformed{"SE( )", "    ^", "expected a column"},                          //
                                           Malformed{"+ SE", "^", "expected a symbol"},                               //
                                           Malformed{"SE + * LIN", "     ^", "expected a symbol"},                    //
                                           Malformed{"SE +", "    ^", "ends where a symbol must follow"},             //
                                           Malformed{"SE LIN", "   ^", "expected \"+\" or \"*\""},                    //
                                           Malformed{"SE - LIN", "   ^", "expected \"+\" or \"*\""},                  //
                                           Malformed{"SE^2", "  ^", "powers are not supported"},                      //
                                           Malformed{"2*SE", "^", "number"},                                          //
                                           Malformed{"SE*2", "   ^", "number"},                                       //
                                           Malformed{"SE(0)", "   ^", "counted from 1 to 2"},                         //
                                           Malformed{"SE(3)", "   ^", "counted from 1 to 2"},                         //
                                           Malformed{"SE(x3)", "   ^", "counted from 1 to 2"},                        //
                                           Malformed{"SE(99999999999999999999999)", "   ^", "counted from 1 to 2"},   //
                                           Malformed{"SE(-1)", "   ^", "unknown column \"-1\""},                      //
                                           Malformed{"SE(x1)*PER(mont)", "           ^", "Did you mean \"month\"?"},  //
                                           Malformed{"SE(qwert)", "   ^", "The columns are x1, month."},              //
                                           Malformed{"SE(\"Month\")", "   ^", "Did you mean \"month\"?"},             //
                                           Malformed{"SE(\"1\")", "   ^", "unknown column \"1\""},                    //
                                           Malformed{"SE(x1, month)", "     ^", "Write SE(a)*SE(b)"},                 //
                                           Malformed{"SE(x1 + month)", "      ^", "must be quoted"},                  //
                                           Malformed{"SE(\"x1\" 2)", "        ^", "expected \")\""},                  //
                                           Malformed{"SE(\"x1)", "   ^", "quote is never closed"},                    //
                                           Malformed{"SE('x1)", "   ^", "quote is never closed"},                     //
                                           Malformed{"SE(\"a\\b\")", "     ^", "unknown escape"},                     //
                                           Malformed{"SE(\"a\\", "     ^", "unknown escape"},                         //
                                           Malformed{"SE(LIN)", "   ^", "write * before the parenthesis"},            //
                                           Malformed{"SE(x1)(x1)", "      ^", "expected \"+\" or \"*\""},             //
                                           Malformed{"SE(x1) + LIN", "         ^", "for every symbol, or for none"},  //
                                           Malformed{"SE*LIN(2)", "^", "for every symbol, or for none"}));

TEST(ParseErrorTest, CaretCountsWhatATerminalShows) {
  // An umlaut is two bytes and one cell, a combining accent no cell, a Chinese character two cells.
  const std::vector<std::string> names = {"größe", "e\u0301", "温度"};
  const auto umlaut = FailureOf("SE(größe) + FOO", names);
  ASSERT_TRUE(umlaut.has_value());
  EXPECT_EQ(umlaut->text, "  SE(größe) + FOO");
  EXPECT_EQ(umlaut->caret, "  " + std::string(12, ' ') + "^");
  const auto accent = FailureOf("SE(e\u0301) + FOO", names);
  ASSERT_TRUE(accent.has_value());
  EXPECT_EQ(accent->caret, "  " + std::string(8, ' ') + "^");
  const auto wide = FailureOf("SE(温度) + FOO", names);
  ASSERT_TRUE(wide.has_value());
  EXPECT_EQ(wide->caret, "  " + std::string(11, ' ') + "^");
}

TEST(ParseErrorTest, MessageIsValidTextWhateverTheBytes) {
  const auto failure = FailureOf("SE\n+\tF\xFF\x01O", kTwo);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->text, "  SE + F? O");
  EXPECT_EQ(failure->caret, "       ^");
}

TEST(ParseErrorTest, LongTextsAreCutAroundTheCaret) {
  std::string text = "SE";
  for (int i = 0; i < 100; ++i) text += " + SE";
  const auto failure = FailureOf(text + " + BAD" + text, {"x1"});
  ASSERT_TRUE(failure.has_value());
  EXPECT_LT(failure->text.size(), 120U);
  EXPECT_EQ(failure->text.substr(failure->caret.size() - 1, 3), "BAD");
}

TEST(ParseErrorTest, AmbiguousAndMissingColumns) {
  const auto twice = FailureOf("SE(a)", {"a", "a"});
  ASSERT_TRUE(twice.has_value());
  EXPECT_THAT(twice->message, HasSubstr("several columns are called \"a\""));
  const auto none = FailureOf("SE", {});
  ASSERT_TRUE(none.has_value());
  EXPECT_THAT(none->message, HasSubstr("no column"));
  const auto many = FailureOf("SE(zzz)", DefaultColumnNames(100));
  ASSERT_TRUE(many.has_value());
  EXPECT_THAT(many->message, HasSubstr("x12 and 88 more"));
}

TEST(ParseErrorTest, DepthSizeAndLengthAreBounded) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '(') + "SE" + std::string(depth, ')'); };
  EXPECT_EQ(ParseKernel(nested(200), {"t"}), LeafOn(Elementary::kSE, 0));
  const auto deep = FailureOf(nested(201), {"t"});
  ASSERT_TRUE(deep.has_value());
  EXPECT_EQ(deep->code, ErrorCode::kLimit);
  const auto deeper = FailureOf(std::string(1000000, '('), {"t"});
  ASSERT_TRUE(deeper.has_value());
  EXPECT_EQ(deeper->code, ErrorCode::kLimit);

  const auto sum = [](int count) {
    std::string text = "SE";
    for (int i = 1; i < count; ++i) text += "+SE";
    return text;
  };
  EXPECT_EQ(NumLeaves(ParseKernel(sum(4096), {"t"})), 4096);
  EXPECT_EQ(NumLeaves(ParseKernel(sum(2048), kTwo)), 4096);
  for (const auto& [count, names] :
       std::vector<std::pair<int, std::vector<std::string>>>{{4097, {"t"}}, {2049, kTwo}}) {
    const auto large = FailureOf(sum(count), names);
    ASSERT_TRUE(large.has_value());
    EXPECT_EQ(large->code, ErrorCode::kLimit);
  }
  const auto lengthy = FailureOf(std::string((1U << 20) + 1, ' '), {"t"});
  ASSERT_TRUE(lengthy.has_value());
  EXPECT_EQ(lengthy->code, ErrorCode::kLimit);
}

// Alternating sums and products two hundred deep: the deepest tree the parser can return must survive every walk.
TEST(ParseTest, TheDeepestTreeRoundTrips) {
  std::string text = "SE";
  for (int i = 0; i < 199; ++i) text = "(" + text + (i % 2 == 0 ? "+LIN)" : ")*PER");
  const Expression e = ParseKernel(text, {"t"});
  EXPECT_EQ(NumLeaves(e), 200);
  EXPECT_EQ(ParseKernel(Print(e, {"t"}), {"t"}), e);
}

// Random strings of tokens and of bytes give an expression or an Error, nothing else.
TEST(ParseFuzzTest, AnyTextGivesAnExpressionOrAnError) {
  const std::vector<std::string> tokens = {"SE", "LIN", "per",   "M52",  "(", ")", "+",      "*",
                                           " ",  "x1",  "month", "1",    "2", "0", "\"",     "'",
                                           "\\", "\n",  "größe", "\xFF", ",", "^", "SE(x1)", "(1)"};
  RandomStream random(4);
  int parsed = 0, failed = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    const int length = random.UniformInt(0, 24);
    const bool bytes = i % 4 == 0;
    for (int j = 0; j < length; ++j) {
      text += bytes ? std::string(1, static_cast<char>(random.UniformInt(0, 255)))
                    : tokens[static_cast<std::size_t>(random.UniformInt(0, static_cast<int>(tokens.size()) - 1))];
    }
    try {
      const Expression e = ParseKernel(text, kTwo);
      ASSERT_EQ(ParseKernel(Print(e, kTwo), kTwo), e);
      ++parsed;
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::kBadInput);
      ASSERT_THAT(std::string(error.what()), HasSubstr("^"));
      ++failed;
    }
  }
  EXPECT_GT(parsed, 100);
  EXPECT_GT(failed, 10000);
}

// One random change to a valid text.
TEST(ParseFuzzTest, MutatedExpressionsGiveAnExpressionOrAnError) {
  RandomStream random(5);
  for (int i = 0; i < 20000; ++i) {
    std::string text = Print(testing::RandomExpression(random, 2, 4), kTwo);
    const auto at = static_cast<std::size_t>(random.UniformInt(0, static_cast<int>(text.size()) - 1));
    switch (random.UniformInt(0, 2)) {
      case 0:
        text.erase(at, 1);
        break;
      case 1:
        text.insert(at, 1, static_cast<char>(random.UniformInt(0, 255)));
        break;
      default:
        text[at] = static_cast<char>(random.UniformInt(0, 255));
    }
    try {
      const Expression e = ParseKernel(text, kTwo);
      ASSERT_EQ(Canonical(e), e);
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::kBadInput);
    }
  }
}

}  // namespace
}  // namespace instantgp

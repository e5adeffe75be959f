#include "instantgp/base/diagnosis.h"

#include <gtest/gtest.h>

#include "instantgp/base/rng.h"

namespace instantgp {
namespace {

TEST(OneLineTest, KeepsTextAndMendsTheRest) {
  EXPECT_EQ(OneLine("größe 温度"), "größe 温度");
  EXPECT_EQ(OneLine("a\nb\tc\x7F"), "a b c ");
  EXPECT_EQ(OneLine("\xC3"), "?");                 // cut short
  EXPECT_EQ(OneLine("\xC0\xAF"), "??");            // overlong
  EXPECT_EQ(OneLine("\xED\xA0\x80"), "???");       // a surrogate
  EXPECT_EQ(OneLine("\xF5\x80\x80\x80"), "????");  // beyond the last code point
}

// Whatever the bytes, mending what is mended changes nothing more.
TEST(OneLineTest, IsIdempotentOnRandomBytes) {
  RandomStream random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes(static_cast<std::size_t>(random.UniformInt(0, 20)), ' ');
    for (char& c : bytes) c = static_cast<char>(random.UniformInt(0, 255));
    const std::string line = OneLine(bytes);
    ASSERT_EQ(OneLine(line), line);
    ASSERT_EQ(line.find('\n'), std::string::npos);
  }
}

TEST(TextWithCaretTest, PointsAtEveryByteAndTheEnd) {
  for (std::size_t i = 0; i <= 5; ++i) {
    EXPECT_EQ(TextWithCaret("abcde", i), "  abcde\n  " + std::string(i, ' ') + "^\n");
  }
  EXPECT_EQ(TextWithCaret("", 0), "  \n  ^\n");
}

TEST(TextWithCaretTest, WindowsKeepTheCaretUnderItsCharacter) {
  std::string text(1000, 'a');
  for (std::size_t at : {0, 1, 49, 50, 51, 500, 949, 950, 999}) {
    text[at] = 'X';
    const std::string shown = TextWithCaret(text, at);
    const std::size_t end = shown.find('\n');
    EXPECT_EQ(shown.find('X'), shown.find('^') - end - 1) << at;
    EXPECT_LT(end, 110U);
    text[at] = 'a';
  }
}

TEST(EditDistanceTest, IsLevenshteinWithoutCase) {
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3);
  EXPECT_EQ(EditDistance("", "abc"), 3);
  EXPECT_EQ(EditDistance("ABC", "abc"), 0);
  EXPECT_EQ(EditDistance("ab", "ba"), 2);
}

TEST(NearestTest, SuggestsOnlyWhatIsNear) {
  const std::vector<std::string> names = {"month", "passengers", "x"};
  EXPECT_EQ(Nearest("mont", names), "month");
  EXPECT_EQ(Nearest("pasengers", names), "passengers");
  EXPECT_EQ(Nearest("MONTH", names), "month");
  EXPECT_EQ(Nearest("temperature", names), "");
  EXPECT_EQ(Nearest("y", names), "");  // everything differs
  EXPECT_EQ(Nearest("", names), "");
  EXPECT_EQ(Nearest("mont", {}), "");
}

}  // namespace
}  // namespace instantgp

#include "instantgp/base/from_chars.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "instantgp/base/rng.h"

namespace instantgp {
namespace {

#ifdef __cpp_lib_to_chars
void ExpectAsTheStandardLibrary(const std::string& text) {
  double expected = -7, read = -7;
  const auto theirs = std::from_chars(text.data(), text.data() + text.size(), expected);
  const auto ours = FromCharsByStrtod(text.data(), text.data() + text.size(), read);
  EXPECT_EQ(ours.ptr - text.data(), theirs.ptr - text.data()) << '"' << text << '"';
  EXPECT_EQ(ours.ec, theirs.ec) << '"' << text << '"';
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(read)) << '"' << text << '"';
  } else {
    EXPECT_EQ(std::memcmp(&read, &expected, sizeof read), 0) << '"' << text << '"';
  }
}

TEST(FromChars, EveryShortText) {
  const std::string letters = "-+.e09in f";
  for (std::size_t length = 0; length <= 5; ++length) {
    std::size_t count = 1;
    for (std::size_t k = 0; k < length; ++k) count *= letters.size();
    for (std::size_t number = 0; number < count; ++number) {
      std::string text;
      for (std::size_t k = 0, rest = number; k < length; ++k, rest /= letters.size()) {
        text += letters[rest % letters.size()];
      }
      ExpectAsTheStandardLibrary(text);
    }
  }
}

TEST(FromChars, NumbersOfEverySize) {
  RandomStream random(3);
  for (int k = 0; k < 20000; ++k) {
    std::string text = random.UniformInt(0, 1) == 0 ? "" : "-";
    for (int digits = random.UniformInt(1, 25); digits-- > 0;) text += static_cast<char>('0' + random.UniformInt(0, 9));
    if (random.UniformInt(0, 1) == 0) text.insert(text.size() - 1, ".");
    text += "e" + std::to_string(random.UniformInt(-350, 330));
    ExpectAsTheStandardLibrary(text);
  }
  for (const char* text :
       {"inf", "-INFINITY", "infinit", "NaN", "-nan", "4.9e-324", "2e-324", "1e-310", "1.8e308", "1e",
        "1e+", ".",         "-.",      "5.",  ".5",   "0x10",     " 1",     "+1",     "1e400",   "-1e-400"}) {
    ExpectAsTheStandardLibrary(text);
  }
}
#endif

TEST(FromChars, IntegersAndDoubles) {
  int whole = 0;
  double number = 0;
  const std::string text = "12.5,";
  EXPECT_EQ(FromChars(text.data(), text.data() + text.size(), whole).ptr, text.data() + 2);
  EXPECT_EQ(whole, 12);
  EXPECT_EQ(FromChars(text.data(), text.data() + text.size(), number).ptr, text.data() + 4);
  EXPECT_EQ(number, 12.5);
}

}  // namespace
}  // namespace instantgp

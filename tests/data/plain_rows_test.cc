#include "instantgp/data/plain_rows.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "instantgp/base/rng.h"
#include "instantgp/data/csv_number.h"

namespace instantgp {
namespace {

std::uint64_t BitsOf(double value) { return std::bit_cast<std::uint64_t>(value); }

TEST(PlainRows, NumbersAreThoseOfTheStrictReaderToTheLastBit) {
  RandomStream random(1);
  std::vector<std::string> cells = {"0",
                                    "-0",
                                    "1",
                                    "+3",
                                    "007",
                                    ".5",
                                    "5.",
                                    "1e22",
                                    "1e23",
                                    "1e-22",
                                    "1e-23",
                                    "1E+5",
                                    "2.5e-3",
                                    "9007199254740992",
                                    "9007199254740993",
                                    "9007199254740993.0",
                                    "18446744073709551615",
                                    "18446744073709551616",
                                    "123456789012345678901234567890",
                                    "4.9e-324",
                                    "1e-400",
                                    "1.7976931348623157e308",
                                    "0.000000000000000000000000000001",
                                    "1e0000000000003"};
  char text[64];
  for (int k = 0; k < 20000; ++k) {
    const double value = random.Normal() * std::pow(10.0, random.UniformInt(-30, 30));
    std::snprintf(text, sizeof text, "%.*g", random.UniformInt(1, 19), value);
    cells.emplace_back(text);
    std::snprintf(text, sizeof text, "%.*f", random.UniformInt(0, 12), random.Normal() * 1000);
    cells.emplace_back(text);
  }
  for (const std::string& cell : cells) {
    const CellValue strict = ReadCell(cell, false);
    const auto read = ReadPlainRows(cell + "\n", ',', {true});
    if (!read) continue;  // left to the strict reader
    ASSERT_EQ(strict.kind, CellKind::kNumber) << cell;
    EXPECT_EQ(BitsOf((*read)(0, 0)), BitsOf(strict.value)) << cell;
  }
  EXPECT_TRUE(ReadPlainRows("1.25\n", ',', {true}).has_value());
}

TEST(PlainRows, AnythingOutOfTheOrdinaryIsLeftToTheStrictReader) {
  const std::vector<bool> two = {true, true};
  for (const char* text :
       {"",          "\n",        "1\n",        "1,2,3\n",   "1,\n",         ",2\n",    "1,2\n\n",    "\n1,2\n",
        "1,2\n#c\n", "\"1\",2\n", " 1,2\n",     "1, 2\n",    "1,2 \n",       "1,x\n",   "1,NaN\n",    "1,inf\n",
        "1,-inf\n",  "1,1e\n",    "1,1e+\n",    "1,1e+-3\n", "1,--2\n",      "1,-\n",   "1,.\n",      "1,1e999\n",
        "1,0x10\n",  "1;2\n",     "1,2\r3,4\r", "1,2\n3\n",  "1,2\n3,4,5\n", "1,2\n3,", "1,2\n3,4\r", "1,2\r\r\n"}) {
    EXPECT_FALSE(ReadPlainRows(text, ',', two).has_value()) << text;
  }
  for (const char* text : {"1,2\n3,4\n", "1,2\n3,4", "1,2\r\n3,4\r\n", "1,2\r\n3,4"}) {
    const auto read = ReadPlainRows(text, ',', two);
    ASSERT_TRUE(read.has_value()) << text;
    EXPECT_EQ(*read, (Matrix{{1, 2}, {3, 4}}));
  }
}

TEST(PlainRows, ColumnsThatAreNotKeptMayHoldAnything) {
  const auto read = ReadPlainRows("1,word,2\n3,,4\n5,a b,6\n", ',', {true, false, true});
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, (Matrix{{1, 2}, {3, 4}, {5, 6}}));
  EXPECT_EQ(*ReadPlainRows("1;x\n2;\n", ';', {true, false}), (Matrix{{1}, {2}}));
}

TEST(PlainRows, ManyChunksOnAnyNumberOfThreads) {
  RandomStream random(2);
  Matrix values(120000, 3);
  std::string text;
  char line[128];
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index j = 0; j < 3; ++j) values(i, j) = random.Normal();
    std::snprintf(line, sizeof line, "%.17g,%.17g,%.17g\n", values(i, 0), values(i, 1), values(i, 2));
    text += line;
  }
  ASSERT_GT(text.size(), 4u << 20);
  for (const int threads : {1, 2, 3}) {
    const auto read = ReadPlainRows(text, ',', {true, true, true}, threads);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(*read, values);
  }
  text[text.size() / 2] = 'x';
  EXPECT_FALSE(ReadPlainRows(text, ',', {true, true, true}).has_value());
}

}  // namespace
}  // namespace instantgp

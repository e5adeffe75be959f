#include "instantgp/base/json_integer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace instantgp {
namespace {

using nlohmann::json;

TEST(JsonInteger, TakesWholeNumbersThatFit) {
  EXPECT_EQ(JsonInteger<int>(json::parse("-7")), -7);
  EXPECT_EQ(JsonInteger<int>(json::parse("2147483647")), 2147483647);
  EXPECT_EQ(JsonInteger<int>(json::parse("1e6")), 1'000'000);
  EXPECT_EQ(JsonInteger<std::int64_t>(json::parse("9223372036854775807")), INT64_MAX);
  EXPECT_EQ(JsonInteger<std::int64_t>(json::parse("-9223372036854775808")), INT64_MIN);
  EXPECT_EQ(JsonInteger<std::uint64_t>(json::parse("18446744073709551615")), UINT64_MAX);
}

TEST(JsonInteger, RefusesTheOthers) {
  for (const char* text : {"2147483648", "4294967297", "-2147483649", "1e300", "-1e19", "0.5", "1e10", "true", "\"1\"",
                           "null", "[1]", "18446744073709551615"}) {
    EXPECT_THROW(JsonInteger<int>(json::parse(text)), json::exception) << text;
  }
  EXPECT_THROW(JsonInteger<std::int64_t>(json::parse("9223372036854775808")), json::exception);
  EXPECT_THROW(JsonInteger<std::uint64_t>(json::parse("-1")), json::exception);
}

}  // namespace
}  // namespace instantgp

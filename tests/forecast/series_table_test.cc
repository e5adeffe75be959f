// Tables of many series: from memory and from a file, sorted by series or by time.
#include "instantgp/forecast/series_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "instantgp/base/error.h"

namespace instantgp {
namespace {

std::string Rows(bool by_time) {
  std::string csv = "month,shop,sold\n";
  for (int outer = 0; outer < (by_time ? 24 : 3); ++outer) {
    for (int inner = 0; inner < (by_time ? 3 : 24); ++inner) {
      const int t = by_time ? outer : inner, shop = by_time ? inner : outer;
      csv += std::to_string(2019 + t / 12) + (t % 12 < 9 ? "-0" : "-") + std::to_string(t % 12 + 1) + ",\"S, " +
             std::to_string(shop) + "\"," + std::to_string(100 * shop + t) + "\n";
    }
  }
  return csv;
}

TEST(SeriesTableTest, RowsInAnyOrderAndFromAnywhere) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "instantgp_series_table_test.csv";
  for (const bool by_time : {false, true}) {
    for (const bool from_file : {false, true}) {
      std::ofstream(path) << Rows(by_time);
      const SeriesTableOptions options{"", "", {"shop"}, ""};
      const SeriesTable table = from_file ? SeriesTable::Read(path.string(), options)
                                          : SeriesTable::Parse(Rows(by_time), "the table", options);
      ASSERT_EQ(table.size(), 3U);
      EXPECT_EQ(table.rows(), 72U);
      for (std::size_t shop = 0; shop < 3; ++shop) {
        EXPECT_EQ(table.Key(shop), std::vector<std::string>{"S, " + std::to_string(shop)});
        const TimedSeries series = table.Series(shop);
        EXPECT_EQ(series.problem, "");
        EXPECT_EQ(series.step, "monthly");
        ASSERT_EQ(series.values.size(), 24U);
        for (std::size_t t = 0; t < 24; ++t)
          EXPECT_EQ(series.values[t], 100.0 * static_cast<double>(shop) + static_cast<double>(t));
        EXPECT_EQ(series.TimeText(24), "2021-01");
      }
    }
  }
  std::filesystem::remove(path);
}

TEST(SeriesTableTest, MistakesAreFoundBeforeTheFirstForecast) {
  const SeriesTableOptions by{"", "", {"shop"}, ""};
  EXPECT_THROW(SeriesTable::Parse("", "t", by), Error);
  EXPECT_THROW(SeriesTable::Parse("month,shop,sold\n", "t", by), Error);
  try {
    SeriesTable::Parse("month,shop,sold\n2020-01,A,1\n2020-02,A,many\n", "t", by);
    FAIL() << "a word is no value";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("line 3"), std::string::npos) << error.what();
  }
  EXPECT_THROW(SeriesTable::Parse("month,shop,sold\n2020-01,A,1\n2020-02,A\n", "t", by), Error);
}

}  // namespace
}  // namespace instantgp

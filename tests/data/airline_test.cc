#include "instantgp/data/airline.h"

#include <string>

#include "gtest/gtest.h"
#include "instantgp/base/file.h"
#include "instantgp/data/csv.h"

namespace instantgp {
namespace {

TEST(AirlineTest, TheBuiltInTableIsTheFileInExamples) {
  EXPECT_EQ(std::string(AirlineCsv()), ReadFile(std::string(INSTANTGP_SOURCE_DIR) + "/examples/airline.csv"));
}

TEST(AirlineTest, TwelveYearsOfMonths) {
  const Dataset data = AirlineExample();
  EXPECT_EQ(data.rows(), 144);
  EXPECT_EQ(data.column_names, std::vector<std::string>{"month"});
  EXPECT_EQ(data.target_name, "passengers");
  for (int i = 0; i < 144; ++i) EXPECT_EQ(data.X(i, 0), i + 1);
  EXPECT_EQ(data.y[0], 112);
  EXPECT_EQ(data.y[143], 432);
  EXPECT_EQ(data.y.maxCoeff(), 622);
}

}  // namespace
}  // namespace instantgp

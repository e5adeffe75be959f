#include "instantgp/data/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "instantgp/base/error.h"

namespace instantgp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string DatasetRefusal(const Matrix& X, const Vector& y, const std::vector<std::string>& names = {}) {
  try {
    Dataset::Of(X, y, names);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadInput);
    return error.what();
  }
  return "";
}

TEST(Dataset, NamesItsColumns) {
  const Dataset data = Dataset::Of(Matrix::Zero(2, 3), Vector::Zero(2));
  EXPECT_THAT(data.column_names, ElementsAre("x1", "x2", "x3"));
  EXPECT_EQ(data.target_name, "y");
  EXPECT_EQ(data.rows(), 2);
  EXPECT_EQ(data.columns(), 3);
}

TEST(Dataset, RefusesWhatIsNoTable) {
  EXPECT_THAT(DatasetRefusal(Matrix::Zero(2, 1), Vector::Zero(3)), HasSubstr("2 rows and the target 3"));
  EXPECT_THAT(DatasetRefusal(Matrix::Zero(0, 1), Vector::Zero(0)), HasSubstr("no rows"));
  EXPECT_THAT(DatasetRefusal(Matrix::Zero(2, 0), Vector::Zero(2)), HasSubstr("no input column"));
  EXPECT_THAT(DatasetRefusal(Matrix::Zero(2, 2), Vector::Zero(2), {"a"}), HasSubstr("1 names for 2"));
}

TEST(Dataset, NamesThePlaceOfEveryValueThatIsNotFinite) {
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    for (Index i = 0; i < 2; ++i) {
      for (Index j = 0; j < 3; ++j) {
        Matrix X = Matrix::Zero(2, 2);
        Vector y = Vector::Zero(2);
        (j < 2 ? X(i, j) : y(i)) = bad;
        const std::string column = j < 2 ? (j == 0 ? "a" : "b") : "y";
        EXPECT_THAT(DatasetRefusal(X, y, {"a", "b"}),
                    HasSubstr("row " + std::to_string(i + 1) + ", column '" + column + "'"));
      }
    }
  }
}

TEST(Dataset, SelectsRowsInTheOrderGiven) {
  const Dataset data = Dataset::Of(Vector::LinSpaced(4, 0, 3), Vector::LinSpaced(4, 10, 13), {"a"}, "t");
  const Dataset part = SelectRows(data, {3, 1, 1});
  EXPECT_EQ(part.rows(), 3);
  EXPECT_EQ(part.X(0, 0), 3);
  EXPECT_EQ(part.y(2), 11);
  EXPECT_EQ(part.target_name, "t");
  EXPECT_THAT(part.column_names, ElementsAre("a"));
  EXPECT_THROW(SelectRows(data, {4}), std::logic_error);
  EXPECT_THROW(SelectRows(data, {}), Error);
}

}  // namespace
}  // namespace instantgp

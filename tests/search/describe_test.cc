#include "instantgp/search/describe.h"

#include <gtest/gtest.h>

#include <cmath>

#include "instantgp/kernel/parameters.h"
#include "tests/support/kernel_text.h"

namespace instantgp {
namespace {

TEST(Words, SayWhatAStructureMeans) {
  Scaler scaler = Scaler::Identity(1);
  scaler.x_range[0] = 143;
  const Structure structure = testing::StructureOf("LIN + LIN*PER + SE*PER", 1);
  LogParameters theta = Vector::Zero(NumParameters(ToExpression(structure)) + 1);
  const ParameterTable table(ToExpression(structure));
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].kind == ParameterKind::kPeriod) theta[static_cast<Index>(i)] = std::log(12.1 / 143);
  }
  EXPECT_EQ(Describe(structure, theta, scaler, {"month"}),
            "linear trend, yearly period (12.1 months) that changes over 143 months, yearly period (12.1 months) of "
            "growing amplitude");
  EXPECT_EQ(Describe(structure, theta, scaler, {"depth"}),
            "linear trend, period 12.1 that changes over 143, period 12.1 of growing amplitude");
  const Structure two = testing::StructureOf("SE(x1) * MAT52(x2)", 2);
  EXPECT_EQ(Describe(two, Vector::Zero(5), Scaler::Identity(2), {"a", "b"}),
            "a: smooth variation over 1; b: rough variation over 1");
}

}  // namespace
}  // namespace instantgp

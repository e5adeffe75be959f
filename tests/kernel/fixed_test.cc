// Parameters fixed in a kernel's text: reading, writing, order and units.
#include "instantgp/kernel/fixed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "instantgp/base/error.h"
#include "instantgp/kernel/parameters.h"
#include "instantgp/kernel/parse.h"
#include "instantgp/kernel/structure.h"
#include "instantgp/kernel/units.h"
#include "tests/support/random_kernels.h"

namespace instantgp {
namespace {

const std::vector<std::string> kNames = {"month", "price", "a=b"};

// Any subset of the parameters of every leaf, at random values.
Expression WithSomeFixed(Expression e, RandomStream& random) {
  if (e.op == Expression::Op::kLeaf) {
    for (const ParameterKind kind : ParametersOf(e.symbol)) {
      if (random.Bernoulli(0.4)) e.fixed.push_back({kind, std::exp(random.Uniform(-30, 30))});
    }
  }
  for (Expression& term : e.terms) term = WithSomeFixed(std::move(term), random);
  return e;
}

TEST(FixedTest, PrintedKernelsReadBackAlike) {
  RandomStream random(5);
  for (int i = 0; i < 2000; ++i) {
    const Expression e = Canonical(WithSomeFixed(testing::RandomExpression(random, 3, 3), random));
    ASSERT_EQ(ParseKernel(Print(e, kNames), kNames), e) << Print(e, kNames);
    ASSERT_EQ(ParseKernel(PrintShort(e, kNames), kNames), e) << PrintShort(e, kNames);
    ASSERT_EQ(Canonical(testing::Shuffled(e, random)), e);
  }
}

TEST(FixedTest, IsReadWithAndWithoutAColumn) {
  const Expression fixed = ParseKernel("PER(month, period=12)", kNames);
  ASSERT_EQ(fixed.fixed, (std::vector<FixedParameter>{{ParameterKind::kPeriod, 12}}));
  EXPECT_EQ(fixed.column, 0);
  EXPECT_EQ(ParseKernel("per( 'month' , Period = 1.2e+1 )", kNames), fixed);
  EXPECT_EQ(ParseKernel("PER(period=12)", {"month"}), fixed);
  EXPECT_EQ(Print(fixed, kNames), "PER(month, period=12)");
  EXPECT_EQ(PrintShort(fixed, {"month"}), "PER(period=12)");
  EXPECT_EQ(ParseKernel("SE(a=b)", kNames).column, 2);  // a column's name first
  EXPECT_EQ(ParseKernel("SE(month, lengthscale=2, variance=3)", kNames),
            ParseKernel("SE(month,variance=3,lengthscale=2)", kNames));
  // Without a column on several columns: fixed on each.
  EXPECT_EQ(ParseKernel("PER(period=12)", {"a", "b"}), ParseKernel("PER(a, period=12)*PER(b, period=12)", {"a", "b"}));
}

TEST(FixedTest, WhatMakesNoSenseIsRefusedWithAReason) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"SE(month, period=12)", "SE has no parameter \"period\""},
      {"SE(month, lengthscale=-1)", "is no value for the lengthscale"},
      {"SE(month, lengthscale=0)", "is no value for the lengthscale"},
      {"SE(month, lengthscale=inf)", "is no value for the lengthscale"},
      {"SE(month, lengthscale=1,5)", "a symbol acts on one column only"},
      {"SE(month, lengthscale=)", "is no value for the lengthscale"},
      {"SE(month, lengthscale=2, lengthscale=3)", "fixed twice"},
      {"SE(month, price)", "a symbol acts on one column only"},
      {"SE(month, lengthscale=2", "never closed"},
      {"SE(length=2)", "SE has no parameter \"length\""},
  };
  for (const auto& [text, message] : cases) {
    try {
      ParseKernel(text, kNames);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadInput);
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  }
}

// What is fixed in the user's units comes out of InOriginalUnits again.
TEST(FixedTest, RowsAreInTheUnitsOfTheFit) {
  RandomStream random(6);
  for (int i = 0; i < 500; ++i) {
    const Expression e = Canonical(WithSomeFixed(testing::RandomExpression(random, 3, 3), random));
    const Vector ranges{{std::exp(random.Uniform(-3, 3)), 7, 0.1}};
    const double y_scale = std::exp(random.Uniform(-3, 3));
    const FixedRows fixed = FixedRowsOf(e, ranges, y_scale);
    LogParameters theta = fixed.Held(Vector::Zero(NumParameters(e) + 1));
    const Vector original = InOriginalUnits(e, theta.kernel().array().exp(), ranges, y_scale);
    const ParameterTable table(e);
    std::vector<double> expected;
    const std::function<void(const Expression&)> collect = [&](const Expression& part) {
      for (const FixedParameter& parameter : part.fixed) expected.push_back(parameter.value);
      for (const Expression& term : part.terms) collect(term);
    };
    collect(e);
    ASSERT_EQ(fixed.rows.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
      ASSERT_NEAR(original[fixed.rows[k]] / expected[k], 1, 1e-12) << Print(e, kNames);
    }
    ASSERT_EQ(FixesAnything(e), !expected.empty());
  }
}

// What a network decodes for a structure stands in the rows of the kernel that was asked for.
TEST(FixedTest, FixingDoesNotChangeTheOrderOfALeafsKind) {
  RandomStream random(7);
  for (int i = 0; i < 500; ++i) {
    const Expression plain = ToExpression(testing::RandomStructure(random, 3));
    const Expression e = Canonical(WithSomeFixed(plain, random));
    const ParameterTable a(plain), b(e);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t row = 0; row < a.size(); ++row) {
      ASSERT_EQ(a[row].symbol, b[row].symbol);
      ASSERT_EQ(a[row].elementary, b[row].elementary);
      ASSERT_EQ(a[row].kind, b[row].kind);
    }
    ASSERT_EQ(ToStructure(e), ToStructure(plain));
  }
}

}  // namespace
}  // namespace instantgp

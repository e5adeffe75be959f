// Parameters fixed in the kernel's text, through every method and a file.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "instantgp/base/error.h"
#include "instantgp/data/dataset.h"
#include "instantgp/model/fit.h"
#include "instantgp/model/methods.h"
#include "instantgp/model/model.h"

namespace instantgp {
namespace {

// A season of 12 on top of a line; the table begins at 7 and ends at 66.
Dataset Months() {
  Dataset data{Matrix(60, 1), Vector(60), {"month"}, "sold"};
  for (Index t = 0; t < 60; ++t) {
    const double month = static_cast<double>(t) + 7;
    data.X(t, 0) = month;
    data.y[t] = 300 + 2 * month + 40 * std::sin(month * 0.5235987755982988) + 5 * std::sin(17.0 * month * month);
  }
  return data;
}

double Period(const Model& model) {
  for (const ReportedParameter& parameter : model.Parameters()) {
    if (parameter.name.find("period") != std::string::npos) return parameter.value_original_units;
  }
  return 0;
}

TEST(FixedParametersTest, EveryMethodHoldsThePeriod) {
  for (const Method method : {Method::kOneShot, Method::kRefine, Method::kMl, Method::kAdam, Method::kMultiStart,
                              Method::kMap, Method::kSvgp}) {
    FitOptions options;
    options.method = method;
    options.steps = 20;
    options.restarts = 2;
    const Model model = Fit(Months(), "LIN + PER(month, period=11.5)", options);
    EXPECT_NEAR(Period(model), 11.5, 1e-9) << Name(method);
    EXPECT_NE(model.KernelText().find("PER(month, period=11.5)"), std::string::npos) << model.KernelText();
    const Matrix draws = model.Draws();
    const Index row = 4;  // LIN variance and offset, PER variance, lengthscale, period
    for (Index k = 0; k < draws.cols(); ++k) {
      EXPECT_NEAR(draws(row, k), std::log(11.5 / 59), 1e-12) << Name(method);
    }
  }
}

TEST(FixedParametersTest, OneShotSaysWhatItCannotHold) {
  for (const char* kernel : {"LIN + PER(month, variance=2)", "LIN(month, offset=3)"}) {
    try {
      Fit(Months(), kernel);
      ADD_FAILURE() << kernel;
    } catch (const Error& error) {
      ASSERT_FALSE(error.remedies().empty());
      EXPECT_EQ(error.remedies()[0].value, "map");
    }
    FitOptions options;
    options.method = Method::kMap;
    options.steps = 20;
    EXPECT_NE(Fit(Months(), kernel, options).KernelText().find('='), std::string::npos);
  }
}

TEST(FixedParametersTest, OneShotNamesTheMethodForKernelsTheNetworkDoesNotKnow) {
  for (const char* kernel : {"MAT12", "WIE + PER", "SE*IOU", "BIAS + SE"}) {
    try {
      Fit(Months(), kernel);
      ADD_FAILURE() << kernel;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("not trained on"), std::string::npos) << error.what();
      ASSERT_FALSE(error.remedies().empty());
      EXPECT_EQ(error.remedies()[0].value, "map");
    }
    FitOptions options;
    options.method = Method::kMap;
    options.steps = 20;
    const Model model = Fit(Months(), kernel, options);
    EXPECT_TRUE(std::isfinite(model.summary().nlml)) << kernel;
  }
}

}  // namespace
}  // namespace instantgp

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "instantgp/optimize/adam.h"
#include "instantgp/optimize/lbfgs.h"

namespace instantgp {
namespace {

// (1 - x0)^2 + 100 (x1 - x0^2)^2; `forbidden` marks a region where no value can be computed.
class Rosenbrock : public FirstOrderFunction {
 public:
  enum class Trouble { kNone, kReturnsFalse, kReturnsNaN, kReturnsInfinity, kThrows };
  explicit Rosenbrock(Trouble trouble = Trouble::kNone) : trouble_(trouble) {}
  int size() const override { return 2; }
  bool Evaluate(const Vector& x, double* value, Vector* gradient) override {
    const double a = 1 - x[0], b = x[1] - x[0] * x[0];
    *value = a * a + 100 * b * b;
    if (gradient != nullptr) {
      gradient->resize(2);
      (*gradient) << -2 * a - 400 * x[0] * b, 200 * b;
    }
    if (x[0] > 1.05 || x[1] < -0.5) {
      switch (trouble_) {
        case Trouble::kNone:
          break;
        case Trouble::kReturnsFalse:
          return false;
        case Trouble::kReturnsNaN:
          *value = std::numeric_limits<double>::quiet_NaN();
          break;
        case Trouble::kReturnsInfinity:
          *value = -std::numeric_limits<double>::infinity();
          break;
        case Trouble::kThrows:
          throw std::runtime_error("outside");
      }
    }
    return true;
  }

 private:
  Trouble trouble_;
};

const Vector kStart = (Vector(2) << -1.2, 1.0).finished();

TEST(Lbfgs, SolvesRosenbrockAndTellsWhatItDid) {
  Rosenbrock f;
  LbfgsOptions options;
  options.gradient_tolerance = 1e-9;
  options.value_tolerance = 0;
  const OptimizeSummary summary = MinimizeLbfgs(f, kStart, options);
  EXPECT_EQ(summary.reason, StopReason::kConverged);
  EXPECT_NEAR(summary.x[0], 1, 1e-6);
  EXPECT_NEAR(summary.x[1], 1, 1e-6);
  EXPECT_DOUBLE_EQ(summary.start_value, 24.2);
  EXPECT_GT(summary.steps, 5);
  EXPECT_GE(summary.evaluations, summary.steps);
  EXPECT_EQ(summary.rejected, 0);
}

// A minimum far below zero: a stopping rule that divides by the value would end this at once.
TEST(Lbfgs, SolvesAProblemWhoseValuesAreNegative) {
  class Sunk : public Rosenbrock {
   public:
    bool Evaluate(const Vector& x, double* value, Vector* gradient) override {
      const bool ok = Rosenbrock::Evaluate(x, value, gradient);
      *value -= 100;
      return ok;
    }
  } f;
  const OptimizeSummary summary = MinimizeLbfgs(f, kStart, {});
  EXPECT_EQ(summary.reason, StopReason::kConverged);
  EXPECT_NEAR(summary.value, -100, 1e-4);
}

TEST(Lbfgs, StepsOverPointsThatCannotBeEvaluated) {
  for (auto trouble :
       {Rosenbrock::Trouble::kReturnsFalse, Rosenbrock::Trouble::kReturnsNaN, Rosenbrock::Trouble::kReturnsInfinity}) {
    Rosenbrock f(trouble);
    LbfgsOptions options;
    options.gradient_tolerance = 1e-8;
    options.value_tolerance = 0;
    const OptimizeSummary summary = MinimizeLbfgs(f, kStart, options);
    EXPECT_LT(summary.value, 1e-8);
    EXPECT_TRUE(std::isfinite(summary.value));
  }
}

TEST(Lbfgs, PassesExceptionsThroughTheCLibrary) {
  Rosenbrock f(Rosenbrock::Trouble::kThrows);
  const Vector outside = (Vector(2) << 2.0, 2.0).finished();
  EXPECT_THROW(MinimizeLbfgs(f, outside, {}), std::runtime_error);
}

TEST(Lbfgs, AStartThatFailsIsReportedNotThrown) {
  Rosenbrock f(Rosenbrock::Trouble::kReturnsNaN);
  const OptimizeSummary summary = MinimizeLbfgs(f, (Vector(2) << 2.0, 2.0).finished(), {});
  EXPECT_EQ(summary.reason, StopReason::kFailedAtStart);
  EXPECT_EQ(summary.x.size(), 0);
}

TEST(Lbfgs, HonoursTheStepLimitAndTheStopToken) {
  Rosenbrock f;
  LbfgsOptions options;
  options.max_steps = 3;
  const OptimizeSummary limited = MinimizeLbfgs(f, kStart, options);
  EXPECT_EQ(limited.reason, StopReason::kMaxSteps);
  EXPECT_EQ(limited.steps, 3);
  std::stop_source source;
  source.request_stop();
  options.stop = source.get_token();
  EXPECT_EQ(MinimizeLbfgs(f, kStart, options).reason, StopReason::kInterrupted);
}

TEST(Adam, DecreasesAndStopsByTheRule) {
  Rosenbrock f;
  AdamOptions options;
  options.max_steps = 5000;
  const OptimizeSummary summary = MinimizeAdam(f, kStart, options);
  EXPECT_EQ(summary.reason, StopReason::kConverged);
  EXPECT_LT(summary.value, 1.0);
  EXPECT_GT(summary.steps, 10);
  // A longer window does not take a turning point of the path for the end.
  options.window = 50;
  const OptimizeSummary patient = MinimizeAdam(f, kStart, options);
  EXPECT_EQ(patient.reason, StopReason::kConverged);
  EXPECT_GT(patient.steps, summary.steps);
  EXPECT_LT(patient.value, summary.value);
}

// The first steps of Adam by hand: with m and v bias-corrected the first move is learning_rate * sign(g).
TEST(Adam, FirstStepIsTheLearningRateInEveryCoordinate) {
  class Linear : public FirstOrderFunction {
   public:
    int size() const override { return 2; }
    bool Evaluate(const Vector& x, double* value, Vector* gradient) override {
      *value = 3 * x[0] - 0.01 * x[1];
      if (gradient != nullptr) *gradient = (Vector(2) << 3, -0.01).finished();
      return true;
    }
  } f;
  AdamOptions options;
  options.max_steps = 1;
  const OptimizeSummary summary = MinimizeAdam(f, Vector::Zero(2), options);
  EXPECT_NEAR(summary.x[0], -0.1, 1e-6);
  EXPECT_NEAR(summary.x[1], 0.1, 1e-6);
}

TEST(Adam, RejectedStepsShrinkTheRate) {
  Rosenbrock f(Rosenbrock::Trouble::kReturnsNaN);
  AdamOptions options;
  options.max_steps = 500;
  options.learning_rate = 5;
  const OptimizeSummary summary = MinimizeAdam(f, kStart, options);
  EXPECT_GT(summary.rejected, 0);
  EXPECT_TRUE(std::isfinite(summary.value));
  EXPECT_LT(summary.value, summary.start_value);
}

}  // namespace
}  // namespace instantgp

#include "instantgp/optimize/second_order.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <utility>

#include "instantgp/base/rng.h"

namespace instantgp {
namespace {

// 1/2 (x - at)^T H (x - at), whose curvature is told `times` as large as it is.
class Bowl final : public SecondOrderFunction {
 public:
  Bowl(Matrix H, Vector at, double times = 1) : H_(std::move(H)), at_(std::move(at)), times_(times) {}
  int size() const override { return static_cast<int>(at_.size()); }
  bool Value(Vector& x, double* value) override {
    x_ = x;
    *value = 0.5 * (x - at_).dot(H_ * (x - at_));
    return true;
  }
  bool Slopes(Vector* gradient, Matrix* curvature) override {
    *gradient = H_ * (x_ - at_);
    *curvature = times_ * H_;
    return true;
  }

 private:
  Matrix H_;
  Vector at_, x_;
  double times_;
};

Bowl RandomBowl(RandomStream& random, int size, double times) {
  Matrix B(size, size);
  Vector at(size);
  for (Index k = 0; k < B.size(); ++k) B.data()[k] = random.Normal();
  for (Index k = 0; k < size; ++k) at[k] = random.Normal();
  return Bowl(B * B.transpose() + 0.01 * Matrix::Identity(size, size), at, times);
}

Reach Within(const SecondOrderFunction& f, double reach) {
  return {Vector::Constant(f.size(), reach), Vector::Constant(f.size(), reach)};
}

TEST(SecondOrder, ABowlTakesAFewSteps) {
  RandomStream random(1);
  for (int k = 0; k < 50; ++k) {
    Bowl bowl = RandomBowl(random, 1 + k % 12, 1);
    const OptimizeSummary end =
        MinimizeSecondOrder(bowl, Vector::Zero(bowl.size()), {.reach = Within(bowl, 100), .worth = 1e-8});
    EXPECT_LE(end.value, 1e-5);
    EXPECT_LE(end.evaluations, 12);
    EXPECT_EQ(end.reason, StopReason::kConverged);
  }
}

// Without the secant a curvature told five times too large would take five times the steps.
TEST(SecondOrder, AWrongSizeOfTheCurvatureIsFoundOut) {
  RandomStream random(2);
  for (int k = 0; k < 50; ++k) {
    Bowl bowl = RandomBowl(random, 1 + k % 12, 5);
    const OptimizeSummary end =
        MinimizeSecondOrder(bowl, Vector::Zero(bowl.size()), {.reach = Within(bowl, 100), .worth = 1e-8});
    EXPECT_LE(end.value, 1e-5);
    EXPECT_LE(end.evaluations, 16);
  }
}

TEST(SecondOrder, NoParameterMovesBeyondItsReachInOneStep) {
  RandomStream random(3);
  Bowl bowl = RandomBowl(random, 5, 1);
  const OptimizeSummary end =
      MinimizeSecondOrder(bowl, Vector::Constant(5, 10), {.reach = Within(bowl, 0.25), .max_steps = 1});
  EXPECT_EQ(end.steps, 1);
  EXPECT_LE((end.x.array() - 10).abs().maxCoeff(), 0.25);
  EXPECT_LT(end.value, end.start_value);
}

// log cosh is flat far out: its curvature tells nothing of how far it is to the middle.
class Valley final : public SecondOrderFunction {
 public:
  int size() const override { return 1; }
  bool Value(Vector& x, double* value) override {
    x_ = x[0];
    *value = std::abs(x_) > 30 ? NAN : std::log(std::cosh(x_));
    return std::abs(x_) <= 30;
  }
  bool Slopes(Vector* gradient, Matrix* curvature) override {
    *gradient = Vector::Constant(1, std::tanh(x_));
    *curvature = Matrix::Constant(1, 1, 1 - std::tanh(x_) * std::tanh(x_));
    return true;
  }

 private:
  double x_ = 0;
};

TEST(SecondOrder, FlatPlacesAndPlacesWithoutAValueAreWalkedOver) {
  Valley valley;
  for (const double start : {-29.0, -3.0, 0.5, 8.0}) {
    const OptimizeSummary end = MinimizeSecondOrder(valley, Vector::Constant(1, start),
                                                    {.reach = Within(valley, 1000), .max_steps = 60, .worth = 1e-9});
    EXPECT_NEAR(end.x[0], 0, 1e-3) << start;
    EXPECT_LE(end.value, end.start_value);
  }
}

TEST(SecondOrder, AStartWithoutAValueIsSaidToFail) {
  Valley valley;
  const OptimizeSummary end = MinimizeSecondOrder(valley, Vector::Constant(1, 31), {.reach = Within(valley, 1)});
  EXPECT_EQ(end.reason, StopReason::kFailedAtStart);
  EXPECT_EQ(end.x.size(), 0);
}

// A slope in y, (y - 3)^2 / 2, beside a wall in x that is not seen from x = 0, where the start is.
class Wall final : public SecondOrderFunction {
 public:
  int size() const override { return 2; }
  bool Value(Vector& x, double* value) override {
    x_ = x;
    *value = 100 * std::pow(std::max(x[0], 0.0), 2) - 0.1 * x[0] + 0.5 * std::pow(x[1] - 3, 2);
    return true;
  }
  bool Slopes(Vector* gradient, Matrix* curvature) override {
    const double wall = x_[0] > 0 ? 200 : 0.01;
    *gradient = Vector{{200 * std::max(x_[0], 0.0) - 0.1, x_[1] - 3}};
    *curvature = Vector{{wall, 1.0}}.asDiagonal();
    return true;
  }

 private:
  Vector x_;
};

// Steps into the wall go wrong, and the next one is short: it gains little, and most of the way is still to go.
TEST(SecondOrder, AShortStepAfterAMissIsNotTheLast) {
  Wall wall;
  const OptimizeSummary end =
      MinimizeSecondOrder(wall, Vector::Zero(2), {.reach = Within(wall, 1), .worth = 1e-6, .worth_of_more = 0.1});
  EXPECT_LT(end.value, 0.1);
  EXPECT_GT(end.evaluations, end.steps + 2);  // steps did go wrong
}

TEST(SecondOrder, AStopIsObeyed) {
  Valley valley;
  std::stop_source source;
  source.request_stop();
  const OptimizeSummary end =
      MinimizeSecondOrder(valley, Vector::Constant(1, 3), {.reach = Within(valley, 1), .stop = source.get_token()});
  EXPECT_EQ(end.reason, StopReason::kInterrupted);
  EXPECT_EQ(end.x[0], 3);
}

}  // namespace
}  // namespace instantgp
